/** Our rulings on what JSONTestSuite leaves open, and on the good files of it that we refuse. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { defaultBounds } from "../../src/text/bounds.ts"
import type { TextFault } from "../../src/text/fault.ts"
import { readJson } from "../../src/text/read-json.ts"
import { dataFolder } from "../data.ts"

export type Ruling = TextFault["kind"] | "taken"

const overflow = ["number-overflow", "a double cannot hold it: it would become infinite"] as const
const underflow = ["number-underflow", "a double cannot hold it: it would become 0"] as const
const tooLarge = ["integer-too-large", "beyond 2^53-1 a double loses the last digits of an id or an amount"] as const
const lone = ["ill-formed-unicode", "half a surrogate pair has no UTF-8: distinct texts would share a digest"] as const
const notUtf8 = ["not-utf8", "RFC 8259 8.1: UTF-8, and nothing is replaced by U+FFFD"] as const

/** The `i_` files, which parsers may take or refuse. */
export const open: Record<string, readonly [Ruling, string]> = {
  "i_number_double_huge_neg_exp.json": underflow,
  "i_number_huge_exp.json": overflow,
  "i_number_neg_int_huge_exp.json": overflow,
  "i_number_pos_double_huge_exp.json": overflow,
  "i_number_real_neg_overflow.json": overflow,
  "i_number_real_pos_overflow.json": overflow,
  "i_number_real_underflow.json": underflow,
  "i_number_too_big_neg_int.json": tooLarge,
  "i_number_too_big_pos_int.json": tooLarge,
  "i_number_very_big_negative_int.json": tooLarge,
  "i_object_key_lone_2nd_surrogate.json": lone,
  "i_string_1st_surrogate_but_2nd_missing.json": lone,
  "i_string_1st_valid_surrogate_2nd_invalid.json": lone,
  "i_string_UTF-16LE_with_BOM.json": notUtf8,
  "i_string_UTF-8_invalid_sequence.json": notUtf8,
  "i_string_UTF8_surrogate_U+D800.json": notUtf8,
  "i_string_incomplete_surrogate_and_escape_valid.json": lone,
  "i_string_incomplete_surrogate_pair.json": lone,
  "i_string_incomplete_surrogates_escape_valid.json": lone,
  "i_string_invalid_lonely_surrogate.json": lone,
  "i_string_invalid_surrogate.json": lone,
  "i_string_invalid_utf-8.json": notUtf8,
  "i_string_inverted_surrogates_U+1D11E.json": lone,
  "i_string_iso_latin_1.json": notUtf8,
  "i_string_lone_second_surrogate.json": lone,
  "i_string_lone_utf8_continuation_byte.json": notUtf8,
  "i_string_not_in_unicode_range.json": notUtf8,
  "i_string_overlong_sequence_2_bytes.json": notUtf8,
  "i_string_overlong_sequence_6_bytes.json": notUtf8,
  "i_string_overlong_sequence_6_bytes_null.json": notUtf8,
  "i_string_truncated-utf-8.json": notUtf8,
  "i_string_utf16BE_no_BOM.json": notUtf8,
  "i_string_utf16LE_no_BOM.json": notUtf8,
  "i_structure_500_nested_arrays.json": ["too-deep", "500 deep, where plans may be 64 (`bounds.depth`)"],
  "i_structure_UTF-8_BOM_empty_object.json": ["byte-order-mark", "RFC 8259 8.1: not to be added, may be refused"],
}

/** The `y_` files that we refuse all the same. */
export const stricter: Record<string, readonly [Ruling, string]> = {
  "y_object_duplicated_key.json": ["key-twice", "readers differ on which value counts"],
  "y_object_duplicated_key_and_value.json": ["key-twice", "also where both values are equal: one simple rule"],
  "y_object_escaped_null_in_key.json": ["nul-in-key", "many stores end a key there, or fail"],
}

/** How each of the files of odd structures is read. */
export const transforms: Record<string, Ruling> = {
  "number_-9223372036854775808.json": "integer-too-large",
  "number_-9223372036854775809.json": "integer-too-large",
  "number_1.0.json": "taken",
  "number_1.000000000000000005.json": "taken",
  "number_1000000000000000.json": "taken",
  "number_10000000000000000999.json": "integer-too-large",
  "number_1e-999.json": "number-underflow",
  "number_1e6.json": "taken",
  "number_9223372036854775807.json": "integer-too-large",
  "number_9223372036854775808.json": "integer-too-large",
  "object_key_nfc_nfd.json": "taken",
  "object_key_nfd_nfc.json": "taken",
  "object_same_key_different_values.json": "key-twice",
  "object_same_key_same_value.json": "key-twice",
  "object_same_key_unclear_values.json": "key-twice",
  "string_1_escaped_invalid_codepoint.json": "ill-formed-unicode",
  "string_1_invalid_codepoint.json": "not-utf8",
  "string_2_escaped_invalid_codepoints.json": "ill-formed-unicode",
  "string_2_invalid_codepoints.json": "not-utf8",
  "string_3_escaped_invalid_codepoints.json": "ill-formed-unicode",
  "string_3_invalid_codepoints.json": "not-utf8",
  "string_with_escaped_NULL.json": "taken",
}

export const folder = join(dataFolder, "JSONTestSuite")

export function ruling(file: string): Ruling {
  const read = readJson(readFileSync(join(folder, file)), defaultBounds)
  return read.ok ? "taken" : read.fault.kind
}

/** Of each file in one of the suite's folders. */
export const rulings = (within: "test_parsing" | "test_transform"): ReadonlyMap<string, Ruling> =>
  new Map(readdirSync(join(folder, within)).map((file) => [file, ruling(join(within, file))]))
