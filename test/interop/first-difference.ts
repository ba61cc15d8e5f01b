/** Where two texts part, with what stands around it; undefined where they are the same. */
export function firstDifference(expected: string, actual: string): string | undefined {
  if (expected === actual) return undefined;
  let at = 0;
  while (expected[at] === actual[at]) at += 1;
  const around = (whole: string): string => JSON.stringify(whole.slice(Math.max(0, at - 60), at + 60));
  return `differs at character ${String(at)}: expected ${around(expected)}, got ${around(actual)}`;
}
