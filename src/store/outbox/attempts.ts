/** What is kept of an attempt to deliver a message, beside what it made of the message. */
export interface NewAttempt {
  /** When it began, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** As it is called in settings and log; null where none was asked. */
  readonly provider: string | null;
  readonly outcome: string;
  /** Of the provider's answer over HTTP, where there was one. */
  readonly status: number | null;
  /** Why it was not sent, without personal data. */
  readonly reason: string | null;
  /** How long the provider took; null where none was asked. */
  readonly milliseconds: number | null;
  /** As how many SMS the provider took it; null for everything else. */
  readonly parts: number | null;
}

/** An attempt as the operator sees it. */
export interface AttemptRecord extends NewAttempt {
  /** From 1, in the order in which they ended. */
  readonly number: number;
  /** The provider's id of what it took. */
  readonly providerId: string | null;
}

type KeptAttempt = Omit<AttemptRecord, 'number'>;

const UNKNOWN = {
  ...{ provider: null, status: null, providerId: null, reason: null, milliseconds: null, parts: null },
} as const satisfies Partial<KeptAttempt>;

/**
 * A line for the log of attempts that a message carries, in JSON without what is null. They stand in the message's own
 * row, since a table of their own made a delivery a seventh dearer: they are only read as a whole, with their message.
 */
export function attemptLine(attempt: NewAttempt, providerId: string | null): string {
  const { at, provider, outcome, status, reason, milliseconds, parts } = attempt;
  return `${JSON.stringify({
    at,
    provider: provider ?? undefined,
    outcome,
    status: status ?? undefined,
    providerId: providerId ?? undefined,
    reason: reason ?? undefined,
    milliseconds: milliseconds ?? undefined,
    parts: parts ?? undefined,
  })}\n`;
}

/** The attempts of such a log, the first one first. */
export function readAttempts(log: string | null): readonly AttemptRecord[] {
  const lines = (log ?? '').split('\n').slice(0, -1);
  return lines.map((line, at) => ({
    number: at + 1,
    ...UNKNOWN,
    // Only this program writes the column, by the function above.
    ...(JSON.parse(line) as Pick<KeptAttempt, 'at' | 'outcome'> & Partial<KeptAttempt>),
  }));
}
