import type { Connection, Engine } from '../../src/store/engine/engine';

/**
 * Describes what engines of the simulation have in common: no sessions, and no announcements, which are the world's.
 */
export abstract class SimulatedEngine implements Engine {
  abstract readonly name: Engine['name'];
  abstract readonly direct: Connection;

  abstract write<T>(work: (connection: Connection) => Promise<T>): Promise<T>;

  writeShort<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.write(work);
  }

  session(): Promise<never> {
    return Promise.reject(new Error('Nothing in the simulation has a session.'));
  }

  announce(): void {
    // The world announces.
  }

  listen(): () => Promise<void> {
    return () => Promise.resolve();
  }

  ping(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
