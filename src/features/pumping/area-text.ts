/** Returns `TR 555111` for the start `h:TR:555111` of a span of areas; empty for one wider than a country. */
export function shownArea(from: string): string {
  return from.split(':').slice(1).join(' ').trim();
}
