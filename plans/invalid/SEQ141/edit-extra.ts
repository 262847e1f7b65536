/** A field that nobody reads is still not what was written. */
export default (stored: string): string => stored.replace("{", '{ "approved": true,')
