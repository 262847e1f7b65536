/** The commands about MCP: taking a server's tools in, and offering a catalog as a server. */
import { type Command, InvalidArgumentError, Option } from "commander"
import { approvers, type Done, examples, format, store, userName } from "../option.ts"

export function addMcp(program: Command, done: Done): void {
  const mcp = program
    .command("mcp")
    .description("take in the tools of an MCP server, or offer a catalog as one")
    .addHelpText(
      "after",
      examples(
        'mcp import --name shop --command "node server.js" --out shop.ts',
        "mcp serve --subject ada --roles support",
      ),
    )
  addImport(mcp, done)
  addDiff(mcp, done)
  addServe(mcp, done)
}

const collect = (one: string, before: readonly string[] = []): readonly string[] => [...before, one]

const placed = (command: Command): Command =>
  command
    .addOption(new Option("--command <line>", "start the server with this; no shell reads it").conflicts("url"))
    .addOption(new Option("--url <address>", "the server's address, over streamable HTTP"))
    .addOption(
      new Option(
        "--header <line>",
        '"Name: value" sent along with --url, or @file with one on each line; again for more',
      ).argParser(collect),
    )
    .addOption(
      new Option("--env <name>", "a variable that the server of --command inherits; again for more").argParser(collect),
    )
    .addOption(
      new Option("--protocol <which>", "auto asks for revision 2026-07-28 first; a program is then started twice")
        .choices(["legacy", "auto"])
        .default("legacy"),
    )
    .addOption(
      new Option("--timeout <ms>", "for connecting, and for each page of its list").argParser(count).default(10_000),
    )
    .addOption(format())

function addImport(mcp: Command, done: Done): void {
  placed(
    mcp
      .command("import")
      .description(
        "write a server's tools as a catalog: schemas as they are, or the tool refused; nothing allowed yet",
      ),
  )
    .requiredOption("--name <server>", "what you call the server: it stands before the name of each tool")
    .option("--out <file>", "write the catalog here; where it is there already, say what has changed instead")
    .option("--overwrite", "write over it")
    .addHelpText(
      "after",
      examples(
        'mcp import --name shop --command "node server.js" --out shop.ts',
        "mcp import --name shop --url https://mcp.example.com/mcp --header @token.txt",
      ),
    )
    .addHelpText(
      "after",
      "\nExit codes: 0 every tool was taken, 1 some were refused, or have changed; or there was no list, 2 wrong usage.",
    )
    .action(async (options) => done(await (await import("./mcp-import.ts")).importTools(options)))
}

function addDiff(mcp: Command, done: Done): void {
  placed(
    mcp
      .command("diff")
      .description("say what has become of a server's tools since they were imported")
      .argument("<catalog>", "the module that `mcp import` wrote"),
  )
    .addHelpText("after", examples('mcp diff shop.ts --command "node server.js"'))
    .addHelpText("after", "\nExit codes: 0 nothing has changed, 1 something has, or there was no list, 2 wrong usage.")
    .action(async (catalog, options) => done(await (await import("./mcp-diff.ts")).diffTools(catalog, options)))
}

function addServe(mcp: Command, done: Done): void {
  mcp
    .command("serve")
    .description(
      "offer a catalog to MCP clients: compile, explain and run plans; on standard input and output, or over HTTP",
    )
    .option("--catalog <file>", "the catalog's module (default: the one in this folder)")
    .option("--tools <file>", "the toolbox's module (default: the one beside the catalog; without any, nothing is run)")
    .addOption(store())
    .addOption(approvers())
    .addOption(new Option("--http <port>", "listen there, on this machine only; 0 is any free port").argParser(port))
    .option(
      "--tokens <file>",
      "with --http: who may ask, a JSON list of {sha256, tenant, subject, roles}; a token has 16 to 512 characters",
    )
    .option("--tenant <name>", "of whoever asks on standard input", "local")
    .option("--subject <name>", "who that is", userName())
    .option("--roles <names>", "their roles, with commas between them")
    .option("--session <id>", "the session of limits, of each caller their own (default: a new one with each start)")
    .option("--task <id>", "in one task the same call is not made twice (default: the session)")
    .addOption(
      new Option("--literals <what>", "what a plan's literals are taken for: nobody knows what the model has read")
        .choices(["trusted", "untrusted"])
        .default("untrusted"),
    )
    .addOption(
      new Option("--shows <whose>", "runs that a caller may look at: their own, or all of their tenant")
        .choices(["own", "tenant"])
        .default("own"),
    )
    .addOption(format())
    .addHelpText(
      "after",
      examples("mcp serve --catalog catalog.ts --store runs.db", "mcp serve --http 8080 --tokens tokens.json"),
    )
    .addHelpText(
      "after",
      '\nA token is known by its digest: printf %s "$TOKEN" | sha256sum\nIt has 16 to 512 visible ASCII characters: any other is answered 401, whatever the file says.',
    )
    .action(async (options) => done(await (await import("./mcp-serve.ts")).serveCatalog(options)))
}

function port(text: string): number {
  const found = Number(text)
  if (/^\d+$/.test(text) && found <= 65_535) return found
  throw new InvalidArgumentError("It must be a port, 0 to 65535.")
}

function count(text: string): number {
  const found = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(found) && found > 0) return found
  throw new InvalidArgumentError("It must be a whole number, 1 or more.")
}
