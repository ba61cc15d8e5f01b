import { EngineRepository } from '../engine/engine';
import { type Mark, readMark, setMark } from './marks';
import { isInForce } from './turns';

/** Lease for notifying about alerts, held by one node at a time, with the notifications sent. */
export class AlertNotes extends EngineRepository {
  /**
   * Takes or renews the lease, and returns the last holder's notes; undefined while another node holds it.
   *
   * @param owner - name of the node
   * @param now - milliseconds since 1970 UTC
   * @param leaseMs - length of the lease; a longer one was taken by another clock
   */
  take(owner: string, now: number, leaseMs: number): Promise<string | undefined> {
    return this.engine.write(async (connection) => {
      await connection.lock(['alerts']);
      const mark = await readMark(connection.kysely, 'alerts');
      const [holder = '', notes = ''] = mark === undefined ? [] : (JSON.parse(mark.detail) as string[]);
      if (isInForce(mark, now, 2 * leaseMs) && holder !== owner) return undefined;
      await setMark(connection.kysely, 'alerts', noteMark(owner, now + leaseMs, notes));
      return notes;
    });
  }

  /** Saves the notes. @param leaseUntil - milliseconds since 1970 UTC; a past moment gives the lease up */
  save(owner: string, leaseUntil: number, notes: string): Promise<void> {
    return this.engine.write(({ kysely }) => setMark(kysely, 'alerts', noteMark(owner, leaseUntil, notes)));
  }
}

function noteMark(owner: string, leaseUntil: number, notes: string): Mark {
  return { at: leaseUntil, detail: JSON.stringify([owner, notes]) };
}
