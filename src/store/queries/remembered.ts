import { LRUCache } from 'lru-cache';

import { ownText } from '../../support/own-text';
import type { Connection } from '../engine/engine';
import { VERSION_OF_STUDENTS } from './students-version';

/** Remembers values as last read, all of one version; the least recently used are forgotten first. */
export class Remembered<Value extends object | string> {
  #values: LRUCache<string, Value>;
  readonly #connection: Connection;
  readonly #max: number;
  readonly #sizeOf: (value: Value, name: string) => number;
  #version: string | undefined;

  /**
   * @param max - maximum size of all values together
   * @param sizeOf - returns the size of a value; one of size 0 is not remembered
   */
  constructor(connection: Connection, max: number, sizeOf: (value: Value, name: string) => number) {
    this.#connection = connection;
    this.#max = max;
    this.#sizeOf = sizeOf;
    this.#values = new LRUCache({ maxSize: max });
  }

  /**
   * Returns the value of a name, which is read unless it is remembered and nothing has changed since.
   *
   * @param read - returns the value and the version it was read with, null for none
   */
  async get(
    name: string,
    read: () => Promise<readonly [value: Value, version: string | null]>,
  ): Promise<Value> {
    const [row] = await this.#connection.rows(VERSION_OF_STUDENTS, undefined);
    const known = row?.[0] === this.#version ? this.#values.get(name) : undefined;
    if (known !== undefined) return known;
    const [value, version] = await read();
    this.#keep(name, version, value);
    return value;
  }

  #keep(name: string, version: string | null, value: Value): void {
    const size = this.#sizeOf(value, name);
    if (version === null || size === 0 || size > this.#max) return;
    if (version !== this.#version) {
      // Clearing a full one takes milliseconds.
      this.#values = new LRUCache({ maxSize: this.#max });
      this.#version = version;
    }
    this.#values.set(ownText(name), value, { size });
  }
}
