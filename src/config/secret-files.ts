import { readFileSync, statSync } from 'node:fs';

import { errorWord } from '../support/errors';
import { type SettingName, SETTINGS } from './settings';
import type { Setting } from './setting';

/** The setting that names a file with the value of a secret one. */
export function fileSettingOf(secret: string): string {
  return `${secret}_FILE`;
}

/** Those of all secrets. */
export const SECRET_FILE_SETTINGS: readonly string[] = Object.entries<Setting>(SETTINGS)
  .filter(([, { secret }]) => secret === true)
  .map(([name]) => fileSettingOf(name));

/** What a file holds; empty where it cannot be used, and the problem is a line that says why, and what to do. */
export interface SecretFile {
  readonly text: string;
  readonly problem?: string;
}

/**
 * Reads a secret. The line end behind it, which editors and `echo` write, is no part of it.
 *
 * @param secret - the setting whose value it is
 */
export function readSecretFile(path: string, secret: SettingName): SecretFile {
  const setting = fileSettingOf(secret);
  const wrong = (what: string): SecretFile => ({
    text: '',
    problem: `${setting} names ${path}, which ${what}.`,
  });
  let bytes: Buffer;
  try {
    // A pipe gives what it holds once, and the next who reads it waits for ever.
    if (!statSync(path).isFile()) return wrong('is no file: name a file that holds the value');
    bytes = readFileSync(path);
  } catch (error) {
    return wrong(
      `cannot be read (${errorWord(error)}): name a file that is there and that the service’s user may read`,
    );
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/(?<![\r\n])[\r\n]+$/, '');
    return text === '' ? wrong(`is empty: write the value into it, or leave ${setting} out`) : { text };
  } catch {
    return wrong('is not UTF-8: save it as that');
  }
}
