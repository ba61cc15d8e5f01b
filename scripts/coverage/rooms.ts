/** Percent of each room's lines that the tests must run: what they ran when this was written, less what chance takes. */
export const LEAST: Readonly<Record<string, number>> = {};
