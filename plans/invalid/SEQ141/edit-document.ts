/** The document is another than the one that was hashed. */
export default (stored: string): string => stored.replaceAll('"A-1"', '"B-2"')
