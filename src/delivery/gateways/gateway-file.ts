import { readFileSync } from 'node:fs';
import { isAbsolute, join, dirname } from 'node:path';

import type { z } from 'zod';

import { type OperatorFile, parseJson, placeInJson, readOperatorFile, SettingError } from '../../config';
import { errorWord } from '../../support/errors';
import { namedTemplate } from '../template';
import {
  GATEWAYS_FILE,
  PRESET_USE,
  type Route,
  type Value,
  VALUE,
  WRITTEN,
  type WrittenGateway,
} from './gateway-schema';
import { PRESET_NAMES, readPreset } from './presets';

/** Matches names of values that are secret even when given in the file itself. */
const SECRET_NAME = /pass|secret|token|key|receipt/i;
/** Matches the end of the address for a gateway's receipts. */
const RECEIPT_PATH = /^https?:\/\/[^?#]*\/receipts\/([^/?#]+)\/([\w-]{16,128})$/;

/** A gateway ready for use: templates, rules, and its values in plain text. */
export interface Gateway extends Omit<WrittenGateway, 'values'> {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
  /** Values that must not be shown. */
  readonly secrets: readonly string[];
  /** Address for the gateway's receipts; undefined if it calls none. */
  readonly receiptAddress: { readonly url: string; readonly secret: string } | undefined;
}

interface Gateways {
  /** At least one. */
  readonly gateways: readonly Gateway[];
  /** The first route whose country matches a number is used; every number has one. */
  readonly routes: readonly Route[];
}

/**
 * Reads GATEWAYS_FILE.
 *
 * @throws SettingError with the line and field of the problem; it shows no value
 */
export function readGateways(path: string): Gateways {
  const file = readOperatorFile(path, 'GATEWAYS_FILE');
  const { gateways: given, routes = [] } = checked(file, GATEWAYS_FILE, parseJson(file), []);
  const gateways = Object.entries(given).map(([name, description]) => readGateway(file, name, description));
  routes.forEach((route, at) => {
    route.gateways.forEach((name, index) => {
      if (gateways.some((gateway) => gateway.name === name)) return;
      throw problem(file, ['routes', at, 'gateways', index], 'names no gateway of this file');
    });
  });
  const isCatchAll = (route: Route): boolean => route.countries === undefined;
  const rest: Route = { gateways: gateways.map(({ name }) => name) };
  return { gateways, routes: routes.some(isCatchAll) ? routes : [...routes, rest] };
}

function readGateway(file: OperatorFile, name: string, description: unknown): Gateway {
  const at = ['gateways', name] as const;
  if (typeof description !== 'object' || description === null) throw problem(file, at, 'must be an object');
  const written =
    'preset' in description ? fromPreset(file, at, description) : checked(file, WRITTEN, description, at);
  const values = Object.entries(written.values).map(([key, given]) => {
    const place = 'preset' in description ? [...at, key] : [...at, 'values', key];
    return [key, readValue(file, place, given)] as const;
  });
  const plain = Object.fromEntries(values);
  const isSecret = (key: string): boolean => typeof written.values[key] !== 'string' || SECRET_NAME.test(key);
  return {
    ...written,
    name,
    values: plain,
    secrets: values.filter(([key]) => isSecret(key)).map(([, text]) => text),
    receiptAddress: readReceiptAddress(file, at, written, plain),
  };
}

function readReceiptAddress(
  file: OperatorFile,
  at: readonly [string, string],
  { receipts }: WrittenGateway,
  values: Gateway['values'],
): Gateway['receiptAddress'] {
  if (receipts === undefined || receipts.request !== undefined) return undefined;
  const [, name] = at;
  const { url: template = '{receiptUrl}' } = receipts;
  const url = namedTemplate(`receipts of the gateway ${name}`, template, Object.keys(values))(values);
  if (url === '') return undefined;
  const [, gateway, secret] = RECEIPT_PATH.exec(url) ?? [];
  if (gateway === name && secret !== undefined) return { url, secret };
  const reason = `needs a URL that ends in /receipts/${name}/SECRET, with 16 to 128 letters or digits as the secret`;
  throw problem(file, [...at, 'receiptUrl'], reason);
}

function fromPreset(file: OperatorFile, at: readonly string[], description: object): WrittenGateway {
  const { preset: presetName, rate, connections, ...given } = checked(file, PRESET_USE, description, at);
  const preset = readPreset(presetName);
  if (preset === undefined) {
    throw problem(file, [...at, 'preset'], `is not a preset; there are ${PRESET_NAMES.join(', ')}`);
  }
  const values: Record<string, Value> = {};
  for (const [key, parameter] of Object.entries(preset.parameters)) {
    const own = given[key] ?? parameter.default ?? given[parameter.sameAs ?? ''];
    if (own === undefined) throw problem(file, at, `needs "${key}": ${parameter.description}`);
    values[key] = checked(file, VALUE, own, [...at, key]);
  }
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(preset.parameters, key));
  if (unknown !== undefined) {
    const known = [...Object.keys(preset.parameters), 'rate', 'connections'].join(', ');
    throw problem(file, [...at, unknown], `is not a value of the preset ${presetName}; it takes ${known}`);
  }
  return {
    ...preset.gateway,
    rate: rate ?? preset.gateway.rate,
    connections: connections ?? preset.gateway.connections,
    values,
  };
}

/** Paths are relative to the folder of GATEWAYS_FILE. */
function readValue(file: OperatorFile, place: readonly string[], given: Value): string {
  if (typeof given === 'string') return given;
  if ('env' in given) {
    const text = process.env[given.env];
    if (text === undefined || text === '')
      throw problem(file, place, `names ${given.env}, which is not set in the environment`);
    return text;
  }
  const path = isAbsolute(given.file) ? given.file : join(dirname(file.path), given.file);
  let text;
  try {
    text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw problem(file, place, `names the file ${path}, which cannot be read (${errorWord(error)})`);
  }
  if (text === '') throw problem(file, place, `names the file ${path}, which is empty`);
  return text;
}

function checked<T extends z.ZodType>(
  file: OperatorFile,
  schema: T,
  value: unknown,
  at: readonly PropertyKey[],
): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = mostTelling(result.error.issues[0]);
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const reason = unknown.length > 0 ? 'is not known here' : (issue?.message ?? 'cannot be used');
  throw problem(file, [...at, ...(issue?.path ?? []), ...unknown], reason);
}

/** Returns the issue of the best matching alternative, if a value has several. */
function mostTelling(issue: z.core.$ZodIssue | undefined): z.core.$ZodIssue | undefined {
  if (issue?.code !== 'invalid_union') return issue;
  const nested = issue.errors
    .map(([first]) => first)
    .find((first) => first !== undefined && first.path.length > 0 && first.code !== 'invalid_type');
  return nested === undefined ? issue : { ...nested, path: [...issue.path, ...nested.path] };
}

function problem(file: OperatorFile, path: readonly PropertyKey[], reason: string): SettingError {
  const field = path.length === 0 ? 'it' : path.map(String).join(' > ');
  return new SettingError(
    `The file ${file.name} cannot be used${placeInJson(file, path)}: ${field} ${reason}.`,
  );
}
