/** What the folder of data may hold. Each part is counted where it is there, and named where it is not. */
import { suiteFiles } from "../agentdojo/suite.ts"
import { hasFile } from "./suite.ts"

const layout = [
  "JSONTestSuite/test_parsing",
  "JSONTestSuite/test_transform",
  "json-schema-test-suite/tests/draft2020-12",
  "json-schema-test-suite/tests/draft2020-12/optional/format",
  "redos/patterns.jsonl",
  "tau-bench/retail_tools.json",
  "tau-bench/retail_test_plans.json",
  "tau-bench/retail_train_plans.json",
  "tau-bench/retail_dev_plans.json",
  "tau-bench/retail_test_replay.json",
  "tau-bench/retail_test_refplans.json",
  "bfcl/multi_turn_func_doc",
  "bfcl/multi_turn_base_replay.json",
  "nestful/executable-spec.json",
  "nestful/executable-data.json",
  "nestful/non-executable-glaive-spec.json",
  "nestful/non-executable-glaive-data.json",
  "nestful/expected_findings.json",
  "llm-written-plans/huggingface-tools.json",
  "llm-written-plans/huggingface-codellama13b.jsonl",
  "llm-written-plans/multimedia-tools.json",
  "llm-written-plans/multimedia-codellama13b.jsonl",
  "llm-written-plans/expected_findings.json",
  "agentdojo/v1.2_banking.json",
  "agentdojo/v1.2_slack.json",
  "attacks.jsonl",
  "reports.jsonl",
]

export const absent = (): readonly string[] => layout.filter((path) => !hasFile(path))

export const hasNothing = (): boolean => absent().length === layout.length && suiteFiles().length === 0
