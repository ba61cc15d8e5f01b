import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes an empty folder, which is removed with all that is in it after the tests of the surrounding block. */
export function useFolder(): string {
  const folder = makeFolder();
  afterAll(() => {
    removeFolder(folder);
  });
  return folder;
}

/** Makes an empty folder before each test of the surrounding block, and removes it afterwards. Returns that of a test. */
export function useFolderPerTest(): () => string {
  let folder = '';
  beforeEach(() => {
    folder = makeFolder();
  });
  afterEach(() => {
    removeFolder(folder);
  });
  return () => folder;
}

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'test-'));
}

function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 20 });
}
