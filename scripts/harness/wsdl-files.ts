import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Names of the five service descriptions, which are also the names of their endpoints. */
export const ENDPOINT_NAMES = [
  'AuthCodeSending',
  'Scheduals',
  'GetNoteType',
  'NotificationNotes',
  'PushNotificationMobile',
] as const;

export type EndpointName = (typeof ENDPOINT_NAMES)[number];

/** The folder that holds package.json: compiled tests lie deeper than their sources, so it is searched for. */
export function packageRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`No package.json above ${__dirname}`);
    folder = parent;
  }
  return folder;
}

/** The text of a service description as it stands in `wsdl/`. */
export function readDescription(name: EndpointName): string {
  return readFileSync(join(packageRoot(), 'wsdl', `${name}.wsdl`), 'utf8');
}
