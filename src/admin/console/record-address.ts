/** Kinds of imported records of a school that have a page each. */
export const RECORD_KINDS = ['student', 'class', 'note'] as const;

/** An answer of the search. */
export interface FoundRecord {
  readonly address: string;
  /** Description of the page, if there are several answers. */
  readonly text: string;
}

/** Returns the address of a school's page. @param url - canonical URL */
export function schoolAddress(url: string): string {
  return `/schools/school?${new URLSearchParams({ url }).toString()}`;
}

/** Returns the address of a record's page, which leads to its messages if it has no page. */
export function recordAddress(kind: (typeof RECORD_KINDS)[number], school: string, id: string): string {
  return `/schools/${kind}?${new URLSearchParams({ school, id }).toString()}`;
}

/** Returns the address of a caller's page. */
export function callerAddress(name: string): string {
  return `/callers/caller?${new URLSearchParams({ name }).toString()}`;
}
