import { readFileSync } from 'node:fs';
import { isAbsolute, join, dirname } from 'node:path';

import type { z, ZodType } from 'zod';

import {
  type OperatorFile,
  parseJson,
  placeInJson,
  readOperatorFile,
  refuseRepeatedNames,
  SettingError,
} from '../../config';
import { FEATURE_RECEIPTS } from '../../features/feature';
import { errorWord } from '../../support/errors';
import { namedTemplate } from '../template';
import { didYouMean } from '../../support/text';
import {
  type AnswerRule,
  FIELD_NAMES,
  GATEWAYS_FILE,
  type GatewayValue,
  placesOfField,
  PRESET_USE,
  type Route,
  VALUE,
  WRITTEN,
  type WrittenGateway,
} from './gateway-schema';
import { PRESET_NAMES, readPreset } from './presets';
import type { FurtherRequest } from './request-schema';

/** A gateway ready for use: templates, rules, and its values in plain text. */
export interface Gateway extends Omit<WrittenGateway, 'values'> {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
  /** Returns the start of an error about a field: the file, the line and the field. */
  readonly where: (...field: readonly PropertyKey[]) => string;
  /** Names of the values that must not be shown. */
  readonly secrets: readonly string[];
  /** Receipts that a feature takes from it; undefined without such a feature. */
  readonly awaited: AwaitedReceipts | undefined;
}

/** How a gateway reports what became of SMS. With neither an address nor a request, none are awaited. */
export interface AwaitedReceipts {
  /** The address that the gateway calls, and the secret in it. */
  readonly address?: { readonly url: string; readonly secret: string } | undefined;
  /** Asks the gateway instead, with the ids of SMS at {providerIds}. */
  readonly request?: FurtherRequest | undefined;
  /** Lists of rules by the places in the gateway's description. The first rule that fits counts. */
  readonly rules: Readonly<Record<string, readonly Pick<AnswerRule, 'status' | 'code'>[]>>;
}

/** A gateway for a feature that reads what the file says about its receipts. */
export interface DescribedGateway extends Omit<Gateway, 'awaited'> {
  /** Fills in a template of a field. @throws SettingError */
  readonly fill: (field: readonly string[], template: string) => string;
  /** Returns an error about a field. */
  readonly refusal: (field: readonly string[], reason: string) => SettingError;
}

/** Reads the fields of GATEWAYS_FILE that describe receipts. */
export interface ReceiptFields {
  /** Fields of a gateway. */
  readonly fields: Readonly<Record<string, ZodType>>;
  /** The objects in these fields, each with the names of its fields, for suggestions. */
  readonly places: readonly (readonly [place: string, fields: readonly string[]])[];
  /** @throws SettingError */
  readonly read: (gateway: DescribedGateway) => AwaitedReceipts;
}

interface Gateways {
  /** At least one. */
  readonly gateways: readonly Gateway[];
  /** The first route whose country matches a number is used; every number has one. */
  readonly routes: readonly Route[];
}

/** @throws SettingError with the line and field of the problem; it shows no value */
export function readGateways(path: string): Gateways {
  const file = readOperatorFile(path, 'GATEWAYS_FILE');
  const content = parseJson(file);
  refuseRepeatedNames(file);
  const { gateways: given, routes = [] } = checked(file, GATEWAYS_FILE, content, []);
  const gateways = Object.entries(given).map(([name, description]) => readGateway(file, name, description));
  routes.forEach((route, at) => {
    route.gateways.forEach((name, index) => {
      if (gateways.some((gateway) => gateway.name === name)) return;
      throw problem(file, ['routes', at, 'gateways', index], 'is not a gateway in this file');
    });
  });
  const isCatchAll = (route: Route): boolean => route.countries === undefined;
  const rest: Route = { gateways: gateways.map(({ name }) => name) };
  return { gateways, routes: routes.some(isCatchAll) ? routes : [...routes, rest] };
}

function readGateway(file: OperatorFile, name: string, description: unknown): Gateway {
  const at = ['gateways', name] as const;
  if (typeof description !== 'object' || description === null) throw problem(file, at, 'must be an object');
  const isPreset = 'preset' in description;
  const written = isPreset ? fromPreset(file, at, description) : checked(file, WRITTEN, description, at);
  const values = Object.entries(written.values).map(([key, given]) => {
    const place = isPreset ? [...at, key] : [...at, 'values', key];
    return [key, readValue(file, place, given)] as const;
  });
  const plain = Object.fromEntries(values);
  const isShown = isPreset ? shownByPreset(description.preset) : startsUrl(written);
  const inAuthorization = JSON.stringify(findAll(written, 'authorization'));
  const isSecret = (key: string): boolean =>
    typeof written.values[key] !== 'string' || inAuthorization.includes(`{${key}}`) || !isShown(key);
  const where: Gateway['where'] = (...field) => describePlace(file, [...at, ...field]);
  const secrets = Object.keys(plain).filter(isSecret);
  const gateway = { ...written, name, where, values: plain, secrets };
  const awaited = FEATURE_RECEIPTS?.read({
    ...gateway,
    fill: (field, template) => namedTemplate(where(...field), template, Object.keys(plain))(plain),
    refusal: (field, reason) => problem(file, [...at, ...field], reason),
  });
  return { ...gateway, awaited };
}

/** Returns the values of all fields with a name, at any depth. */
function findAll(written: object, name: string): readonly unknown[] {
  const found: unknown[] = [];
  JSON.stringify(written, (key, value: unknown) => {
    if (key === name) found.push(value);
    return value;
  });
  return found;
}

/** A preset says which of its values are credentials. */
function shownByPreset(name: unknown): (key: string) => boolean {
  const { parameters = {} } = (typeof name === 'string' ? readPreset(name) : undefined) ?? {};
  return (key) => parameters[key]?.secret === false;
}

/** Any value of another gateway may be a credential, except the address of its server. */
function startsUrl({ url }: WrittenGateway): (key: string) => boolean {
  return (key) => url.startsWith(`{${key}}`);
}

function fromPreset(file: OperatorFile, at: readonly string[], description: object): WrittenGateway {
  const { preset: presetName, ...options } = checked(file, PRESET_USE, description, at);
  const { rate, connections, idempotent, ...given } = options;
  const preset = readPreset(presetName);
  if (preset === undefined) {
    throw problem(file, [...at, 'preset'], `is not a preset. Presets: ${PRESET_NAMES.join(', ')}`);
  }
  const values: Record<string, GatewayValue> = {};
  for (const [key, parameter] of Object.entries(preset.parameters)) {
    const own = given[key] ?? parameter.default ?? given[parameter.sameAs ?? ''];
    if (own === undefined) throw problem(file, at, `needs "${key}": ${parameter.description}`);
    values[key] = checked(file, VALUE, own, [...at, key]);
  }
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(preset.parameters, key));
  if (FEATURE_RECEIPTS === undefined && (given['receiptUrl'] ?? '') !== '')
    throw problem(file, [...at, 'receiptUrl'], 'cannot be used: this service takes no receipts');
  if (unknown !== undefined) {
    const known = [...Object.keys(preset.parameters), 'rate', 'connections', 'idempotent'].join(', ');
    throw problem(file, [...at, unknown], `is not a value of the preset ${presetName}; it takes ${known}`);
  }
  return {
    ...preset.gateway,
    rate: rate ?? preset.gateway.rate,
    connections: connections ?? preset.gateway.connections,
    idempotent: idempotent ?? preset.gateway.idempotent,
    values,
  };
}

/** Paths are relative to the folder of GATEWAYS_FILE. */
function readValue(file: OperatorFile, place: readonly string[], given: GatewayValue): string {
  if (typeof given === 'string') return given;
  if ('env' in given) {
    const text = process.env[given.env];
    if (text === undefined || text === '')
      throw problem(file, place, `names ${given.env}, an environment variable that is not set`);
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
  const { issues } = result.error;
  // A misspelt field is also a missing one.
  const issue = innermostIssue(issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]);
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const missing = issues.find(
    (each) => isMissing(each) && each.path.length === (issue?.path.length ?? 0) + 1,
  );
  const reason =
    unknown.length === 0 ? describeIssue(issue) : unknownField(String(unknown[0]), missing?.path.at(-1));
  throw problem(file, [...at, ...pathIn(value, issue?.path ?? []), ...unknown], reason);
}

/** Returns the issue of the best matching alternative, if a value has several. */
function innermostIssue(issue: z.core.$ZodIssue | undefined): z.core.$ZodIssue | undefined {
  if (issue?.code !== 'invalid_union') return issue;
  const nested = issue.errors
    .map(([first]) => first)
    .find((first) => first !== undefined && first.path.length > 0 && first.code !== 'invalid_type');
  return nested === undefined ? issue : { ...nested, path: [...issue.path, ...nested.path] };
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text in quotes',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list in square brackets',
};

function unknownField(name: string, missing: PropertyKey | undefined): string {
  if (missing !== undefined) return `is not a known field, and "${String(missing)}" is missing`;
  const places = placesOfField(name);
  if (places.length > 0) return `is not a field here; it belongs to ${places.join(' or ')}`;
  return `is not a known field.${didYouMean(name, FIELD_NAMES)}`;
}

function isMissing({ code, message }: z.core.$ZodIssue): boolean {
  return code === 'invalid_type' && message.endsWith('received undefined');
}

/** Describes an issue. The schema's own messages begin with a verb in lower case. */
function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'cannot be used';
  if (/^[a-z]/.test(issue.message)) return issue.message;
  if (isMissing(issue)) return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'is not a valid name';
    case 'too_small':
      return issue.origin === 'number' ? `must be at least ${String(issue.minimum)}` : 'must not be empty';
    case 'too_big':
      return `must be at most ${String(issue.maximum)}`;
    default:
      return 'cannot be used';
  }
}

/** Removes the index that a single value in place of a list has in the path of an issue. */
function pathIn(value: unknown, path: readonly PropertyKey[]): readonly PropertyKey[] {
  let at = value;
  return path.filter((step) => {
    if (typeof step === 'number' && !Array.isArray(at)) return false;
    at = typeof at === 'object' && at !== null ? (Reflect.get(at, step) as unknown) : undefined;
    return true;
  });
}

function problem(file: OperatorFile, path: readonly PropertyKey[], reason: string): SettingError {
  return new SettingError(`${describePlace(file, path)} ${reason}${/[.?]$/.test(reason) ? '' : '.'}`);
}

function describePlace(file: OperatorFile, path: readonly PropertyKey[]): string {
  const field = path.length === 0 ? 'it' : path.map(String).join(' > ');
  return `The file ${file.name} cannot be used${placeInJson(file, path)}: ${field}`;
}
