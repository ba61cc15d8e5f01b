import type { Action, ActionName } from '../../admin/login/actions';
import { firstMessageId, newMessageId, Repository } from '../../store/statements';

/** A stored action; its id sorts by time. */
export interface AuditRecord extends Action {
  readonly id: string;
}

/** Selects entries; an absent part restricts nothing. */
export interface AuditFilter {
  readonly who?: string | undefined;
  readonly action?: ActionName;
  /** Milliseconds since 1970 UTC, inclusive. */
  readonly from?: number | undefined;
  /** Milliseconds since 1970 UTC, exclusive. */
  readonly until?: number | undefined;
  /** Only entries before this id. */
  readonly before?: string | undefined;
}

/** Records of who did what, and when; kept for a year. */
export class Audit extends Repository {
  async add({ at, who, action, detail }: Action): Promise<void> {
    await this.connection.kysely
      .insertInto('audit')
      .values({ id: newMessageId(at), at, who, action, detail: JSON.stringify(detail) })
      .execute();
  }

  /** Lists the newest entries that match. */
  async list(
    { who, action, from, until, before }: AuditFilter,
    limit: number,
  ): Promise<readonly AuditRecord[]> {
    let query = this.connection.kysely.selectFrom('audit').selectAll();
    if (who !== undefined) query = query.where('who', '=', who);
    if (action !== undefined) query = query.where('action', '=', action);
    if (from !== undefined) query = query.where('at', '>=', from);
    if (until !== undefined) query = query.where('at', '<', until);
    if (before !== undefined) query = query.where('id', '<', before);
    const rows = await query.orderBy('id', 'desc').limit(limit).execute();
    // Only `add` writes these columns, from this type.
    return rows.map((row) => ({
      ...row,
      action: row.action as ActionName,
      detail: JSON.parse(row.detail) as Action['detail'],
    }));
  }

  /** Lists everyone with an entry, in alphabetical order. */
  async people(): Promise<readonly string[]> {
    const { kysely } = this.connection;
    const rows = await kysely.selectFrom('audit').select('who').distinct().orderBy('who').execute();
    return rows.map(({ who }) => who);
  }

  /** Removes the entries of before a moment, in milliseconds since 1970 UTC. */
  async removeBefore(moment: number): Promise<void> {
    await this.connection.kysely.deleteFrom('audit').where('id', '<', firstMessageId(moment)).execute();
  }
}
