/** The commands about runs that are there, and about the store that holds them. */
import { type Command, InvalidArgumentError, Option } from "commander"
import {
  approvers,
  by,
  type Done,
  examples,
  format,
  keptCatalog,
  keptTools,
  onlyOf,
  statuses,
  store,
} from "./option.ts"

export function addStoreCommands(program: Command, done: Done): void {
  addCancel(program, done)
  addResolve(program, done)
  addWorker(program, done)
  addRuns(program, done)
  addApprovals(program, done)
  addLog(program, done)
  addReplay(program, done)
  addExport(program, done)
  addImport(program, done)
  addRecover(program, done)
  addObserve(program, done)
}

function addCancel(program: Command, done: Done): void {
  program
    .command("cancel")
    .description("stop a run: what is under way is settled, what was done is undone; whoever holds it does so")
    .argument("<run>", "the run's id")
    .addOption(store())
    .addOption(onlyOf())
    .addOption(keptCatalog())
    .addOption(keptTools())
    .addOption(approvers())
    .addOption(by("who cancels"))
    .option("--reason <words>", "why", "")
    .addOption(format())
    .addHelpText("after", examples("cancel run_42", 'cancel run_42 --store runs.db --by eve --reason "ordered twice"'))
    .action(async (run, options) => done(await (await import("./command/cancel.ts")).cancelRun(run, options)))
}

function addResolve(program: Command, done: Done): void {
  program
    .command("resolve")
    .description("say what became of an effect that is in doubt, and go on with its run")
    .argument("<run>", "the run's id")
    .argument("<step>", "the step in doubt")
    .option(
      "--applied <file-or-json>",
      "it happened: the result that its tool would have returned; - is standard input",
    )
    .addOption(
      new Option(
        "--not-applied",
        "it did not happen, and will not: it is called again at once, under a new key",
      ).conflicts("applied"),
    )
    .addOption(
      new Option(
        "--retry",
        "it is not known: call it again by its recorded key, or ask after it again, where its tool allows that",
      ).conflicts(["applied", "notApplied"]),
    )
    .addOption(
      new Option("--give-up", "of an undo: leave it undone, and end the run").conflicts([
        "applied",
        "notApplied",
        "retry",
      ]),
    )
    .addOption(
      new Option(
        "--attempt <n>",
        "which call was looked into, as `log` has it: a word that comes late settles no other (default: the one in doubt by then)",
      ).argParser(count),
    )
    .option("--take-over", "also a run that was imported or recovered, or that another process may be at work on")
    .addOption(store())
    .addOption(onlyOf())
    .addOption(keptCatalog())
    .addOption(keptTools())
    .addOption(approvers())
    .addOption(by("who has found out"))
    .requiredOption("--reason <words>", "how")
    .addOption(format())
    .addHelpText(
      "after",
      examples(
        'resolve run_42 pay --applied result.json --reason "seen in the bank\'s list"',
        'resolve run_42 pay --not-applied --by eve --reason "the bank has no such payment"',
        'resolve run_42 pay --retry --reason "the bank is back"',
      ),
    )
    .action(async (run, step, options) =>
      done(await (await import("./command/resolve.ts")).resolveRun(run, step, options)),
    )
}

function addWorker(program: Command, done: Done): void {
  program
    .command("worker")
    .description(
      "take up what is due: runs that were approved, cancelled or resolved, timers, runs whose process has ended",
    )
    .addOption(store())
    .addOption(keptCatalog())
    .option(
      "--tools <file...>",
      "the toolbox's module (default: each run's own); several where runs of more than one catalog are to go on",
    )
    .addOption(approvers())
    .addOption(new Option("--concurrency <runs>", "how many runs at once").argParser(count).default(4))
    .addOption(new Option("--every <ms>", "how often to look, in milliseconds").argParser(count).default(1_000))
    .option("--once", "end when nothing is due")
    .addOption(format())
    .addHelpText("after", examples("worker --store runs.db", "worker --concurrency 16", "worker --once"))
    .action(async (options) => done(await (await import("./command/worker.ts")).runWorker(options)))
}

function count(text: string): number {
  const found = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(found) && found > 0) return found
  throw new InvalidArgumentError("It must be a whole number, 1 or more.")
}

function addApprovals(program: Command, done: Done): void {
  program
    .command("approvals")
    .description("list what waits for people, with all that a decision is about")
    .addOption(store())
    .addOption(onlyOf())
    .addOption(format())
    .addHelpText("after", examples("approvals --store runs.db", "approvals --format json"))
    .action(async (options) => done(await (await import("./command/approvals.ts")).showApprovals(options)))
  program
    .command("keygen")
    .description("make an Ed25519 key pair for somebody who may approve")
    .requiredOption("--out <file>", "where the private key goes")
    .requiredOption("--subject <name>", "whose it is")
    .option("--tenant <name>", "of whom", "local")
    .option("--roles <names>", "the roles they approve as, with commas between them")
    .option("--development", "a key that counts only where NODE_ENV is development or test")
    .addHelpText("after", examples("keygen --out eve.key.json --subject eve --roles support-lead"))
    .action(async (options) => done(await (await import("./command/keygen.ts")).makeKeys(options)))
}

function addRuns(program: Command, done: Done): void {
  program
    .command("runs")
    .description("list the runs of a store")
    .addOption(store())
    .addOption(onlyOf())
    .addOption(
      new Option("--status <status>", "only those that stand so; due: nobody is at work on them").choices(statuses),
    )
    .addOption(new Option("--limit <n>", "only the newest so many").argParser(count))
    .addOption(format())
    .addHelpText("after", examples("runs --store runs.db --tenant acme", "runs --status in_doubt"))
    .action(async (options) => done(await (await import("./command/runs.ts")).showRuns(options)))
}

function addLog(program: Command, done: Done): void {
  program
    .command("log")
    .description("show what happened in a run, entry by entry; verify a whole store")
    .argument("[run]", "the run's id")
    .addOption(store())
    .addOption(onlyOf())
    .option("--verify", "hold every run and table of the store against what was written")
    .option(
      "--head",
      "print how far the store has come, as JSON: to be kept where nobody who writes to the store can write",
    )
    .option(
      "--expect <file>",
      "verify, also that all is still there that this head (of --head) knows of; - is standard input",
    )
    .addOption(format())
    .addHelpText(
      "after",
      examples(
        "log run_42 --store runs.db --verify",
        "log run_42 --format json | jq .event",
        "log --verify",
        "log --head > head.json",
        "log --expect head.json",
      ),
    )
    .action(async (run, options) => done(await (await import("./command/log.ts")).logRun(run, options)))
}

function addReplay(program: Command, done: Done): void {
  program
    .command("replay")
    .description(
      "derive every action of a run anew, from its plan and journal, and say where they differ; nothing is called",
    )
    .argument("<run>", "the run's id")
    .addOption(store())
    .addOption(onlyOf())
    .addOption(keptCatalog())
    .addOption(format())
    .addHelpText("after", examples("replay run_42 --store runs.db"))
    .action(async (run, options) => done(await (await import("./command/replay.ts")).replayRun(run, options)))
}

function addExport(program: Command, done: Done): void {
  program
    .command("export")
    .description("print a journal as JSON Lines: a backup with all secrets in it; with --redact, to be shown")
    .argument("[run...]", "only these runs")
    .addOption(store())
    .addOption(onlyOf())
    .option("--redact", "leave out what was asked, answered and planned; it can be verified all the same")
    .addHelpText("after", examples("export --store runs.db > runs.jsonl", "export run_42 --redact > run_42.jsonl"))
    .action(async (runs, options) => done(await (await import("./command/export.ts")).exportRuns(runs, options)))
}

function addImport(program: Command, done: Done): void {
  program
    .command("import")
    .description("verify what `export` wrote, and take its runs over into a store; of a redacted one only the first")
    .argument("<file>", "JSON Lines; - is standard input")
    .addOption(store())
    .addOption(format())
    .addHelpText("after", examples("import runs.jsonl --store copy.db"))
    .action(async (file, options) => done(await (await import("./command/import.ts")).importRuns(file, options)))
}

function addObserve(program: Command, done: Done): void {
  program
    .command("observe")
    .description('of calls that a host made past the gates (`mode: "observe"`), what those would have refused, by tool')
    .argument("<store>", "the store's file")
    .addOption(onlyOf())
    .addOption(format())
    .addHelpText("after", examples("observe runs.db", "observe runs.db --format json"))
    .action(async (file, options) => done(await (await import("./command/observe.ts")).showObserved(file, options)))
}

function addRecover(program: Command, done: Done): void {
  program
    .command("recover")
    .description("copy what verifies of a damaged store into a new one; the old one stays as it is")
    .argument("<from>", "the damaged store")
    .argument("<to>", "the new one; it must not be there yet")
    .addOption(format())
    .addHelpText("after", examples("recover runs.db recovered.db"))
    .action(async (from, to, options) =>
      done(await (await import("./command/recover.ts")).recoverStore(from, to, options)),
    )
}
