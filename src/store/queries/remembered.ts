import { ownText } from '../../support/own-text';
import type { Connection } from '../engine/engine';
import { VERSION_OF_STUDENTS } from './students-version';

/** Values are kept in order of use only above this share of the maximum: the order costs a token 2 %. */
const ORDERED_FROM = 0.75;

/** Remembers values as last read, all of one version; the least recently used are forgotten first. */
export class Remembered<Value> {
  readonly #values = new Map<string, Value>();
  readonly #connection: Connection;
  readonly #max: number;
  readonly #sizeOf: (value: Value, name: string) => number;
  #version: string | undefined;
  #size = 0;

  /**
   * @param max - maximum size of all values together
   * @param sizeOf - returns the size of a value; one of size 0 is not remembered
   */
  constructor(connection: Connection, max: number, sizeOf: (value: Value, name: string) => number) {
    this.#connection = connection;
    this.#max = max;
    this.#sizeOf = sizeOf;
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
    const known = this.#find(name, row?.[0]);
    if (known !== undefined) return known;
    const [value, version] = await read();
    this.#keep(name, version, value);
    return value;
  }

  #find(name: string, version: string | null | undefined): Value | undefined {
    if (version !== this.#version) return undefined;
    const value = this.#values.get(name);
    // The order matters only once some may soon be forgotten.
    if (value === undefined || this.#size < this.#max * ORDERED_FROM) return value;
    this.#values.delete(name);
    this.#values.set(name, value);
    return value;
  }

  #keep(name: string, version: string | null, value: Value): void {
    const size = this.#sizeOf(value, name);
    if (version === null || size === 0 || size > this.#max) return;
    if (version !== this.#version) {
      this.#values.clear();
      this.#size = 0;
      this.#version = version;
    }
    const known = this.#values.get(name);
    this.#size += size - (known === undefined ? 0 : this.#sizeOf(known, name));
    this.#values.set(known === undefined ? ownText(name) : name, value);
    for (const [oldest, dropped] of this.#values) {
      if (this.#size <= this.#max) return;
      this.#values.delete(oldest);
      this.#size -= this.#sizeOf(dropped, oldest);
    }
  }
}
