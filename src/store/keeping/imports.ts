import type { Engine } from '../engine/engine';
import { readMark, removeMark, setMark } from './marks';
import { isInForce, Turns } from './turns';

/** An import of IMPORT_FOLDER that has ended. */
export interface LastImport {
  /** When it began, in milliseconds since 1970 UTC. */
  readonly at: number;
  readonly isGood: boolean;
  /** Distinguishes the files from changed ones; empty if the next turn must try the same files again. */
  readonly state: string;
  /** When the newest of the files changed, in milliseconds since 1970 UTC. */
  readonly filesAt: number;
  /** Output of the command `import`. */
  readonly report: string;
}

/** An import from a node's console, in progress or waiting for its user. */
interface ImportClaim {
  readonly node: string;
  readonly who: string;
}

/** The service's own imports. */
export class Imports extends Turns {
  constructor(engine: Engine) {
    super(engine, 'import');
  }

  async last(): Promise<LastImport | undefined> {
    const mark = await readMark(this.engine.direct.kysely, 'last import');
    // Only `record` writes it, from this type.
    return mark && { at: mark.at, ...(JSON.parse(mark.detail) as Omit<LastImport, 'at'>) };
  }

  record({ at, ...others }: LastImport): Promise<void> {
    return this.engine.write(({ kysely }) =>
      setMark(kysely, 'last import', { at, detail: JSON.stringify(others) }),
    );
  }

  /**
   * Claims imports from the console for a node, or renews its claim.
   *
   * @param now - milliseconds since 1970 UTC
   * @param leaseMs - length of the claim; a longer one was made by another clock
   * @returns the claim of another node, which keeps it
   */
  claim(claim: ImportClaim, now: number, leaseMs: number): Promise<ImportClaim | undefined> {
    return this.engine.write(async (connection) => {
      await connection.lock(['console import']);
      const mark = await readMark(connection.kysely, 'console import');
      // Only this method writes marks of this name, from this type.
      const holder = isInForce(mark, now, 2 * leaseMs) ? (JSON.parse(mark.detail) as ImportClaim) : claim;
      if (holder.node !== claim.node) return holder;
      const detail = JSON.stringify(claim);
      await setMark(connection.kysely, 'console import', { at: now + leaseMs, detail });
      return undefined;
    });
  }

  /** Ends the claim of a node; after a lapse, the claim may be another node's. */
  release(node: string): Promise<void> {
    return this.engine.write(async (connection) => {
      await connection.lock(['console import']);
      const mark = await readMark(connection.kysely, 'console import');
      if (mark === undefined || (JSON.parse(mark.detail) as ImportClaim).node !== node) return;
      await removeMark(connection.kysely, 'console import');
    });
  }
}
