import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { Role } from '../../../src/admin/login/users-file';
import type { Feature } from '../../../src/features/feature';

/** A route, and the roles that may use it. */
export type RoleAction = readonly [
  method: 'GET' | 'POST',
  path: string,
  fields: Readonly<Record<string, string>>,
  roles: readonly Role[],
];

/** Pages that a feature adds to the console, for the tests that go over all pages. */
export interface FeaturePages {
  /** Pages, each with the fields of `stored-markup` that it shows. @param asked - any text, as it is in an address */
  readonly pages: (asked: string) => readonly (readonly [path: string, shows: readonly string[]])[];
  readonly streams: readonly string[];
  /** Files that every role may download. */
  readonly downloads: readonly string[];
  /** Pages with a form of several fields. */
  readonly forms?: readonly string[];
  /** Other routes that only some roles may use. */
  readonly actions?: readonly RoleAction[];
  /** How they answer a form without content, if not with 200 or 303, by method and path. */
  readonly empty?: Readonly<Record<string, number>>;
  /** The feature with example content, where no settings of these tests lead to its pages. @param text - of a field */
  readonly example?: (text: (field: string) => string) => Pick<Feature, 'openConsole'>;
  /** Pages for screenshots, with their names. */
  readonly screens: readonly (readonly [name: string, path: string])[];
}

const FOLDER = join(__dirname, '..', '..', 'features');

/** Returns the pages of each feature: `console-pages.ts` in the folder of its tests. */
export function readFeaturePages(): readonly FeaturePages[] {
  const load = createRequire(__filename);
  return readdirSync(FOLDER)
    .map((name) => join(FOLDER, name, 'console-pages.ts'))
    .filter((path) => existsSync(path))
    .map((path) => (load(path) as { readonly PAGES: FeaturePages }).PAGES);
}

/** Returns the features that need example content. @param text - of a field; default: a word */
export function exampleFeatures(
  text: (field: string) => string = (field) => field,
): readonly Pick<Feature, 'openConsole'>[] {
  return readFeaturePages().flatMap(({ example }) => example?.(text) ?? []);
}
