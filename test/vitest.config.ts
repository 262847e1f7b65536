import { resolve } from "node:path"
import { defineConfig } from "vitest/config"

const root = resolve(import.meta.dirname, "..")
const conditions = ["@sequitur/source", "node", "module", "default"]

export default defineConfig({
  root,
  resolve: {
    conditions,
    alias: [
      { find: /^sequitur$/, replacement: `${root}/src/index.ts` },
      { find: /^sequitur\/run$/, replacement: `${root}/src/run/index.ts` },
      { find: /^sequitur\/otel$/, replacement: `${root}/src/run/otel.ts` },
      { find: /^sequitur\/planner$/, replacement: `${root}/src/planner/index.ts` },
      { find: /^sequitur\/sqlite$/, replacement: `${root}/src/journal/sqlite.ts` },
    ],
  },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
