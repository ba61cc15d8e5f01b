/** Returns the number of timers that keep this process running. */
export function countTimers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}
