/** The commands, what they take and their help. Each is loaded when it is asked for, so that compiling never loads the runner. */
import { readFileSync } from "node:fs"
import { Command, Option } from "commander"
import { addMcp } from "./command/mcp-program.ts"
import {
  approvers,
  by,
  type Done,
  examples,
  format,
  keptCatalog,
  keptTools,
  onlyOf,
  store,
  userName,
} from "./option.ts"
import { addStoreCommands } from "./store-program.ts"
import { UsageError } from "./terminal.ts"

export function makeProgram(done: Done): Command {
  const program = new Command("sequitur")
    .description("Compiles the plans of LLM agents against a catalog, and runs what follows from it.")
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help of a command")
    .showHelpAfterError("(with --help it says what there is)")
    // Before the commands are made: they inherit it.
    .exitOverride()
    .addHelpText("after", exitCodes)

  addCompile(program, done)
  addTypes(program, done)
  addExplain(program, done)
  addLint(program, done)
  addCatalog(program, done)
  addPlanner(program, done)
  addRun(program, done)
  addDecisions(program, done)
  addResume(program, done)
  addStoreCommands(program, done)
  addMcp(program, done)
  addCodes(program, done)
  return program
}

function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8")
  return (JSON.parse(text) as { readonly version: string }).version
}

const exitCodes = `
Exit codes: 0 fine, 1 refused or failed, 2 wrong usage or a file that cannot be used,
3 awaiting approval, 4 in doubt, 5 cancelled, 6 exhausted. Of several files, the worst.
Stopped by a signal: 130 (SIGINT), 143 (SIGTERM).

--format json: one JSON object a line.
  run, approve, deny, resume, cancel, resolve
                  {"plan"} first (run only), then each entry as in log but for its hash, {"run"} last
  log             each entry: {"runId","seq","atMs","event","hash"}
  worker          each entry as in log but for its hash
  export          JSON Lines of its own, without --format
  all others      one object
  in case of an error, last
                  {"error":{"code","message","hint"}}, where the code is SEQ…, RUN…,
                  usage, mcp, uncaught or stopped`

const catalog = (): Option =>
  new Option(
    "--catalog <file>",
    "the catalog's module (default: the nearest catalog.ts, .mts, .js or .mjs beside the plan or above it)",
  )

const unwrap = (): Option =>
  new Option("--unwrap <what>", "take off one code fence round the whole text").choices(["fence"])

const principal = (): Option =>
  new Option(
    "--principal <json>",
    "who the plan is for, as JSON or a file of it: what they may not do is refused here already",
  )

const literals = (): Option =>
  new Option(
    "--literals <what>",
    "what the plan's literals are taken for: untrusted, if whoever wrote it had seen untrusted data",
  ).choices(["trusted", "untrusted"])

const providerOption = (description: string): Option =>
  new Option("--for <provider>", description).choices(["openai", "anthropic", "gemini"])

function addCompile(program: Command, done: Done): void {
  program
    .command("compile")
    .description("say whether plans are accepted, and why not; offline, nothing is called")
    .argument("<plan...>", "plans as JSON files; - is standard input")
    .addOption(catalog())
    .addOption(unwrap())
    .addOption(principal())
    .addOption(literals())
    .addOption(
      providerOption("the plan is in the form of its structured output; places are then in what that is decoded to"),
    )
    .option(
      "--fix",
      "mend what can surely be mended, and show how; the exit code is still that of the plan as it stands",
    )
    .option(
      "--write",
      "with --fix: write the mended plan (to its file, or to standard output); the exit code is then its own",
    )
    .option("--out <file>", "write the compiled plan here, to be run later")
    .addOption(
      new Option("--format <format>", "how to print; feedback is the short text to send back to a model")
        .choices(["pretty", "json", "feedback"])
        .default("pretty"),
    )
    .addHelpText(
      "after",
      examples(
        "compile plan.json",
        "compile plans/*.json --catalog catalog.ts --format json",
        "compile - --unwrap fence < answer.txt",
        "compile plan.json --principal principal.json --literals untrusted",
        "compile plan.json --fix",
        "compile plan.json --fix --write",
        "compile - --fix --write < plan.json > mended.json",
        "compile answer.json --for openai",
      ),
    )
    .action(async (files, options) => done(await (await import("./command/compile.ts")).compilePlans(files, options)))
}

function addTypes(program: Command, done: Done): void {
  program
    .command("types")
    .description("say of plans in JSON files what tsc would say of them in code, with the project's own TypeScript")
    .argument("<plan...>", "plans as JSON files; - is standard input")
    .addOption(catalog())
    .option(
      "--project <file>",
      "the tsconfig.json of the catalog (default: the nearest beside the catalog or above it)",
    )
    .option("--emit", "write beside each plan.json its plan.d.json.ts, so that the plan is typed where it is imported")
    .addOption(format())
    .addHelpText(
      "after",
      examples("types plan.json", "types plans/*.json --catalog catalog.ts --format json", "types plans/*.json --emit"),
    )
    .addHelpText("after", typesSee)
    .action(async (files, options) => done(await (await import("./command/check-types.ts")).checkTypes(files, options)))
}

const typesSee = `
tsc tells one fault of each property, and sees no ranges, patterns, refinements or bounds: \`compile\` does, and is the last word.
A plan.d.json.ts is found with "allowArbitraryExtensions" and "skipLibCheck" in the tsconfig.json. Write it anew with each change.`

function addExplain(program: Command, done: Done): void {
  program
    .command("explain")
    .description("show a plan as a table: what each step does at worst, and what the run will check; or explain a code")
    .argument("<plan-or-code>", "a plan's JSON file, - for standard input, or a code such as SEQ201 or RUN106")
    .addOption(catalog())
    .addOption(unwrap())
    .addOption(principal())
    .addOption(literals())
    .addOption(format())
    .addHelpText("after", examples("explain plan.json", "explain SEQ201"))
    .action(async (subject, options) => done(await (await import("./command/explain.ts")).explain(subject, options)))
}

function addPlanner(program: Command, done: Done): void {
  const provider = (): Option => providerOption("in the form that its structured output takes")
  program
    .command("schema")
    .description("print the JSON Schema of a plan for a catalog, for a planner to write by")
    .addOption(catalog())
    .addOption(provider())
    .addHelpText("after", examples("schema --catalog catalog.ts", "schema --for openai > plan.schema.json"))
    .action(async (options) => done(await (await import("./command/planner.ts")).printSchema(options)))
  program
    .command("prompt")
    .description("print a catalog in words, and the plan language, for a planner's system prompt")
    .addOption(catalog())
    .addOption(provider())
    .addHelpText("after", examples("prompt --catalog catalog.ts"))
    .action(async (options) => done(await (await import("./command/planner.ts")).printPrompt(options)))
}

function addLint(program: Command, done: Done): void {
  program
    .command("lint")
    .description("say what is wrong with a catalog, and what it may want to know of itself")
    .argument("[catalog]", "the catalog's module (default: the nearest catalog.ts, .mts, .js or .mjs)")
    .addOption(format())
    .addHelpText("after", examples("lint catalog.ts", "lint --format json"))
    .action(async (file, options) => done(await (await import("./command/lint.ts")).lintCatalog(file, options)))
}

function addCatalog(program: Command, done: Done): void {
  const example = examples(
    "catalog diff before/catalog.ts catalog.ts plans/*.json",
    "catalog diff before/catalog.ts catalog.ts --store runs.db",
  )
  program
    .command("catalog")
    .description("compare a catalog with what it was")
    .addHelpText("after", example)
    .command("diff")
    .description("say which changes of a catalog matter to which plans")
    .argument("<old>", "the catalog's module as it was")
    .argument("<new>", "the catalog's module as it will be")
    .argument("[plan...]", "plans as JSON files, or what `compile --out` wrote; - is standard input")
    .option("--store <file>", "also say which runs in this journal the new catalog would strand")
    .addOption(format())
    .addHelpText("after", example)
    .addHelpText("after", diffExits)
    .action(async (before, after, plans, options) =>
      done(await (await import("./command/catalog-diff.ts")).diff(before, after, plans, options)),
    )
}

const diffExits = `
Exit codes: 0 no plan and no run is touched, 1 one is stale, refused now or stranded (without plans: plans may be),
2 wrong usage, or a catalog or plan that cannot be used.`

function addRun(program: Command, done: Done): void {
  program
    .command("run")
    .description("compile a plan and run it, step by step, until it ends or waits for a person")
    .argument("<plan>", "a plan's JSON file; - is standard input")
    .addOption(catalog())
    .option("--tools <file>", "the toolbox's module (default: tools.ts, .mts, .js or .mjs beside the catalog)")
    .addOption(unwrap())
    .addOption(literals())
    .addOption(store())
    .addOption(approvers())
    .option("--inputs <file-or-json>", "the inputs that the catalog asks for: a JSON file, - or JSON itself")
    .option("--tenant <name>", "for whom", "local")
    .option("--subject <name>", "who acts", userName())
    .option("--roles <names>", "the roles of who acts, with commas between them")
    .option("--session <id>", "the session that this run is part of", "cli")
    .option(
      "--task <id>",
      "the task that this run is for: in one task the same call has the same idempotency key, for its tool to honour (default: a new one)",
    )
    .option("--run <id>", "the run's id (default: that of its approval, or a new one)")
    .option(
      "--approval <jws...>",
      "what was signed by those who agree to the whole plan, as `approve --plan` prints it; @file reads it from a file",
    )
    .option("--approved-plan <file>", "the plan that they signed, where another is run (`carryOver` of the catalog)")
    .addOption(format())
    .addHelpText(
      "after",
      examples(
        `run plan.json --inputs '{"accountId":"acc_0001"}'`,
        "run plan.json --inputs inputs.json --store runs.db --tenant acme --subject ada --task ticket-81",
      ),
    )
    .action(async (file, options) => done(await (await import("./command/run.ts")).runPlan(file, options)))
}

function addDecisions(program: Command, done: Done): void {
  addDecision(
    program,
    "approve",
    "let a waiting run take its step, and go on with it; or sign a whole plan beforehand",
    "[]",
  )
    .addOption(keptCatalog())
    .addOption(keptTools())
    .addOption(approvers())
    .option("--plan <file>", "instead of a waiting run: a whole plan before it runs, for one run; prints the token")
    .addOption(literals())
    .option("--run <id>", "of a plan: the id of the run that it will be")
    .option("--inputs <file-or-json>", "of a plan: the inputs that the catalog asks for")
    .option("--subject <name>", "of a plan: who acts", userName())
    .option("--roles <names>", "of a plan: the roles of who acts, with commas between them")
    .option(
      "--blast <dimension=most...>",
      "of a plan: less than it may come to at worst; what passes it is asked about",
    )
    .addHelpText(
      "after",
      "  $ sequitur approve --plan plan.json --run ticket-81 --inputs inputs.json --tenant acme --subject ada --roles clerk --key eve.key.json > token\n" +
        "  $ sequitur run plan.json --inputs inputs.json --tenant acme --subject ada --roles clerk --approval @token\n" +
        "Of a plan --tenant says for whom (default: local); who runs it must be whom it was signed for.",
    )
    .action(async (run, step, options) => {
      if (options.plan !== undefined) {
        if (run !== undefined) throw new UsageError("give a run and its step, or --plan, not both")
        return done(await (await import("./command/approve-plan.ts")).approvePlan(options))
      }
      if (run === undefined || step === undefined)
        throw new UsageError("name a run and the step that it waits at, or a --plan")
      return done(await (await import("./command/decide.ts")).approveRun(run, step, options))
    })
  addDecision(program, "deny", "refuse a waiting run its step: what it has done is undone, and it ends")
    .addOption(keptCatalog())
    .addOption(keptTools())
    .addOption(approvers())
    .action(async (run, step, options) => done(await (await import("./command/decide.ts")).denyRun(run, step, options)))
}

const addDecision = (program: Command, name: string, description: string, brackets = "<>"): Command =>
  program
    .command(name)
    .description(description)
    .argument(`${brackets[0]}run${brackets[1]}`, "the run's id")
    .argument(`${brackets[0]}step${brackets[1]}`, "the step that it waits at")
    .addOption(store())
    .addOption(onlyOf())
    // A key says itself whose word it is.
    .addOption(by("who decides").conflicts(["key", "token"]))
    .option("--reason <words>", "why", "")
    .option(
      "--key <file>",
      'sign with this private key, of `keygen`; needed unless the catalog says `approvals: "unsigned"`',
    )
    .option("--token <jws>", "hand in a decision that was signed elsewhere; @file reads it from a file")
    .addOption(format())
    .addHelpText(
      "after",
      examples(
        `${name} run_42 open --key eve.key.json --reason "seen in writing"`,
        `${name} run_42 open --store runs.db --by eve --reason "seen in writing"`,
      ),
    )

function addResume(program: Command, done: Done): void {
  program
    .command("resume")
    .description("go on with a run whose process has ended")
    .argument("<run>", "the run's id")
    .addOption(store())
    .addOption(onlyOf())
    .addOption(keptCatalog())
    .addOption(keptTools())
    .addOption(approvers())
    .option("--take-over", "go on at once, also from within a call: you know that no process is at work on it any more")
    .addOption(format())
    .addHelpText("after", examples("resume run_42 --store runs.db", "resume run_42 --take-over"))
    .action(async (run, options) => done(await (await import("./command/resume.ts")).resumeRun(run, options)))
}

function addCodes(program: Command, done: Done): void {
  program
    .command("codes")
    .description("list every code there is")
    .addOption(format())
    .addHelpText("after", examples("codes", "codes --format json"))
    .action(async (options) => done((await import("./command/codes.ts")).listAllCodes(options)))
}
