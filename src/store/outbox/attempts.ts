import { type RawBuilder, sql } from 'kysely';

import { COLUMN_TYPES, type Connection, type EngineName, type HotStatement, type Param } from '../engine';

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

/** What an attempt is kept with: of its settlement, this. */
interface KeptAttempt {
  readonly id: string;
  readonly providerId: string | null;
  readonly attempt: NewAttempt;
}

/** The statement up to its source of rows. PostgreSQL takes values of a `select` for texts unless it is told. */
export function keepAttempt<Values extends KeptAttempt>(
  param: Param<Values>,
  engine: EngineName,
): RawBuilder<unknown> {
  const integer = sql.raw(COLUMN_TYPES[engine].integer);
  const text = (read: (values: Values) => string | null): RawBuilder<unknown> =>
    sql`cast(${param(read)} as text)`;
  const number = (read: (values: Values) => number | null): RawBuilder<unknown> =>
    sql`cast(${param(read)} as ${integer})`;
  const id = text((values) => values.id);
  return sql`insert into attempts
      (message_id, number, at, provider, outcome, status, provider_id, reason, milliseconds, parts)
    select ${id}, (select count(*) + 1 from attempts where message_id = ${id}),
      ${number(({ attempt }) => attempt.at)}, ${text(({ attempt }) => attempt.provider)},
      ${text(({ attempt }) => attempt.outcome)}, ${number(({ attempt }) => attempt.status)},
      ${text(({ providerId }) => providerId)}, ${text(({ attempt }) => attempt.reason)},
      ${number(({ attempt }) => attempt.milliseconds)}, ${number(({ attempt }) => attempt.parts)}`;
}

export const KEEP_ATTEMPT: HotStatement<KeptAttempt, readonly []> = {
  name: 'keep_attempt',
  kind: 'write',
  build: (_db, param) => keepAttempt(param, 'sqlite'),
};

/** Every attempt to deliver a message, the first one first. */
export function attemptsOf({ kysely }: Connection, messageId: string): Promise<readonly AttemptRecord[]> {
  return kysely
    .selectFrom('attempts')
    .select(['number', 'at', 'provider', 'outcome', 'status', 'provider_id as providerId', 'reason'])
    .select(['milliseconds', 'parts'])
    .where('message_id', '=', messageId)
    .orderBy('number')
    .execute();
}
