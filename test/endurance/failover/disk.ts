import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { atExit } from '../../../scripts/harness';

const ROOM = '4g';
/** A file system takes this beside its files, in bytes. */
const SLACK = 64 * 1024;

/** A file system of its own, in memory, that can be full for a while. */
export class Disk {
  readonly path = mkdtempSync(join(tmpdir(), 'test-disk-'));
  readonly remove: () => void;

  /** @throws Error where this process may not mount */
  constructor() {
    mount('-t', 'tmpfs', '-o', `size=${ROOM},mode=755`, 'tmpfs', this.path);
    this.remove = atExit(() => {
      execFileSync('umount', ['--lazy', this.path]);
      rmdirSync(this.path);
    });
  }

  /** Leaves no room beside what it holds. */
  fill(): void {
    for (;;) {
      const { blocks, bfree, bsize } = statfsSync(this.path);
      try {
        mount('-o', `remount,size=${String((blocks - bfree) * bsize + SLACK)}`, this.path);
        return;
      } catch {
        // It took more meanwhile.
      }
    }
  }

  free(): void {
    mount('-o', `remount,size=${ROOM}`, this.path);
  }
}

/** Returns a disk; undefined where this process may not mount. */
export function openDisk(): Disk | undefined {
  try {
    return new Disk();
  } catch {
    return undefined;
  }
}

function mount(...args: readonly string[]): void {
  execFileSync('mount', args, { stdio: 'pipe' });
}
