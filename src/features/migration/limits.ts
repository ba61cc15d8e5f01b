/** Time limit for a silent old server, in milliseconds: more than ASP.NET's executionTimeout. */
export const OLD_SILENCE_MS = 120_000;
/**
 * Maximum number of requests compared at once in this process, and time limit for their answers in
 * milliseconds.
 */
export const COMPARED_AT_ONCE = 16;
export const COMPARED_MS = 10_000;
/** Maximum size of all recordings; beyond it the oldest are deleted. */
export const RECORDED_BYTES = 256 * 2 ** 20;
