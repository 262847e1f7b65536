/** Whoever can write the file lowers the bound that people look at. */
export default (stored: string): string => stored.replaceAll(/"max": \d+/g, '"max": 0')
