import { timingSafeEqual } from 'node:crypto';

interface Presented<Caller> {
  readonly header: string;
  readonly value: Buffer;
  readonly caller: Caller;
}

/**
 * What each connection presented last, and whose it was: clients send the same with every request, and its digest
 * costs more than all else that is asked of a caller. Compared in a time that does not tell how near another value
 * comes, since a proxy may send the requests of several callers over one connection.
 */
export class LastPresented<Caller> {
  readonly #last = new WeakMap<object, Presented<Caller>>();

  find(connection: object, header: string, value: string): Caller | undefined {
    const last = this.#last.get(connection);
    if (last?.value.length !== value.length || last.header !== header) return undefined;
    return timingSafeEqual(last.value, Buffer.from(value, 'latin1')) ? last.caller : undefined;
  }

  /** @param value a header's, of which Node makes one character for each byte */
  note(connection: object, header: string, value: string, caller: Caller): void {
    this.#last.set(connection, { header, value: Buffer.from(value, 'latin1'), caller });
  }
}
