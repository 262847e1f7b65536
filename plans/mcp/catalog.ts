// Tools of the MCP server beside this file, as `sequitur mcp import --name parcels --command "node plans/mcp/server.ts"` wrote them
// down; then mapped by hand: `effect`, `authority`, `rules`, `untrusted`, `private`, `idempotency`.
// The server calls itself "parcels" "1.0.0", and speaks "2025-11-25".
import { defineCatalog, tool } from "sequitur"
import type { McpPins } from "sequitur/mcp"

/** What each tool was when it was imported. `mcpToolbox` refuses a call of one that has changed since. */
export const pins = {
  server: "parcels",
  tools: {
    "parcels/find_parcel": {
      name: "find_parcel",
      description: "sha256:c84d13f1bb2739e92e8eee17550d56c8425a65f38d6d5cd1c48357349a166153",
      inputSchema: "sha256:b229cebe1592f8f5bb89c00984122bbe7766b460d2c1bdddbdf6550ae2742e8f",
      outputSchema: "sha256:110715bf2339918c5b0642ed5d61e1db720ce2e70d612d97a6be40accf6679cd",
      annotations: "sha256:a12f1b5c9747eabbb2c0550f99b0bf07410e7348005b626a17b9963c379c29bf",
    },
    "parcels/redirect_parcel": {
      name: "redirect_parcel",
      description: "sha256:e087417699e3f62c75d63c76a9c03d4aaa746a4c0309a5a583da8014963d1ce0",
      inputSchema: "sha256:1e9d83dca297b2e1e1b756178a78408fbe87d3972c86c131e62be262b8b7a996",
      outputSchema: "sha256:1b7ee25e8703038c2b64d1afa2d9cfa8d0c86a38369f24b3469158aebf23b50f",
      annotations: "sha256:bc0b5291469200ab6d5b3e2dbe835f0e578955c3e87e769ebfad660989a5981d",
    },
  },
} as const satisfies McpPins

export const tools = {
  "parcels/find_parcel": tool({
    description: "Find a parcel by its number.",
    effect: "read",
    params: {
      type: "object",
      $schema: "https://json-schema.org/draft/2020-12/schema",
      properties: {
        number: {
          type: "string",
        },
      },
      required: ["number"],
      additionalProperties: false,
    },
    result: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        parcelId: {
          type: "string",
        },
        to: {
          type: "string",
        },
        status: {
          type: "string",
        },
      },
      required: ["parcelId", "to", "status"],
      additionalProperties: false,
    },
    untrusted: ["/to", "/status"],
    private: ["/to"],
    authority: { roles: ["clerk"] },
    claims: { readOnlyHint: true },
  }),
  "parcels/redirect_parcel": tool({
    description: "Send a parcel to another pick-up point.",
    effect: "write",
    params: {
      type: "object",
      $schema: "https://json-schema.org/draft/2020-12/schema",
      properties: {
        parcelId: {
          type: "string",
        },
        pickUpPoint: {
          type: "string",
        },
      },
      required: ["parcelId", "pickUpPoint"],
      additionalProperties: false,
    },
    result: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        arrives: {
          type: "string",
        },
      },
      required: ["arrives"],
      additionalProperties: false,
    },
    untrusted: true,
    rules: { parcelId: { from: ["parcels/find_parcel#/parcelId"] } },
    idempotency: "natural",
    compensate: "none",
    authority: { roles: ["clerk"] },
    claims: { idempotentHint: true },
  }),
}

export default defineCatalog({
  name: "parcels",
  version: "1",
  // Nobody may use a tool whose `authority` names neither roles, tenants nor `when`.
  authority: { default: "deny" },
  tools,
})
