import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import * as z from 'zod';

import { Access } from '../access';
import {
  type Binding,
  type CallContext,
  type EndpointDefinition,
  type Exchange,
  OperationFault,
  type OperationHandler,
  type OperationResult,
  RawResponse,
} from '../asmx';
import { BINDINGS, type ServiceHelp, withNamespace } from '../asmx/internal';
import { type Config, parseChecked } from '../config';
import {
  ClientError,
  type OperationName,
  type Operations,
  OPERATIONS,
  ReadDocument,
  findSchool,
  SENDING,
} from '../operations';
import { canonicalSchoolUrl } from '../store';
import { OperatorError } from '../support/errors';
import { PACKAGE_ROOT } from '../support/package-root';
import { didYouMean } from '../support/text';

// The type of Object.keys cannot express that these are the table's own keys.
const NAMES = Object.keys(OPERATIONS) as readonly OperationName[];
/** Schema of the file beside a description: help texts for each operation and parameter. */
const HELP: z.ZodType<ServiceHelp> = z.record(
  z.string(),
  z.strictObject({
    summary: z.string().min(1),
    parameters: z.record(
      z.string(),
      z.strictObject({
        meaning: z.string().min(1),
        example: z.string().optional(),
        refused: z.strictObject({ value: z.string(), text: z.string().min(1) }).optional(),
      }),
    ),
    result: z.string().min(1),
  }),
);

const ENDPOINTS = [...new Set(NAMES.map((name) => OPERATIONS[name].service))].map((endpoint) => ({
  endpoint,
  names: NAMES.filter((name) => OPERATIONS[name].service === endpoint),
}));

/** Relative to the package's folder: the program is in a folder inside it, compiled or not. */
const FOLDER = join(PACKAGE_ROOT, 'wsdl');
/** Namespace in the description files. */
const WRITTEN_NAMESPACE = 'http://tempuri.org/';

/**
 * Returns the description of each endpoint, by its path such as `/Scheduals.asmx`, with all its operations
 * and bindings.
 *
 * @throws OperatorError when one cannot be read
 */
export async function readDescriptions(namespace: string): Promise<ReadonlyMap<string, string>> {
  const texts = await Promise.all(
    ENDPOINTS.map(async ({ endpoint }): Promise<readonly [string, string]> => {
      const text = await readText('service description', join(FOLDER, `${endpoint}.wsdl`));
      return [`/${endpoint}.asmx`, withNamespace(text, WRITTEN_NAMESPACE, namespace)];
    }),
  );
  return new Map(texts);
}

/**
 * Reads the service descriptions and help texts, and assigns each operation to the endpoint that offers it.
 *
 * @throws OperatorError
 */
export async function readEndpoints(
  operations: Operations,
  {
    READ_ANSWERS: readAnswers,
    DISABLED_BINDINGS: closed,
  }: Pick<Config, 'READ_ANSWERS' | 'DISABLED_BINDINGS'>,
  folder = FOLDER,
): Promise<readonly EndpointDefinition[]> {
  refuseUnknownOperations(closed);
  return Promise.all(
    ENDPOINTS.map(async ({ endpoint, names }) => ({
      description: await readText('service description', join(folder, `${endpoint}.wsdl`)),
      help: await readHelp(join(folder, `${endpoint}.help.json`)),
      handlers: Object.fromEntries(names.map((name) => [name, makeHandler(operations, name, readAnswers)])),
      closed: Object.fromEntries(
        names.map((name) => [
          name,
          closed.filter(({ operation }) => operation === name).map(({ binding }) => binding),
        ]),
      ),
    })),
  );
}

interface OfferedOperation {
  readonly name: OperationName;
  readonly bindings: readonly Binding[];
  readonly sends: boolean;
}

export function offeredOperations({
  DISABLED_BINDINGS: closed,
}: Pick<Config, 'DISABLED_BINDINGS'>): readonly OfferedOperation[] {
  return NAMES.map((name) => ({
    name,
    bindings: BINDINGS.filter(
      (binding) => !closed.some((each) => each.operation === name && each.binding === binding),
    ),
    sends: SENDING.has(name),
  }));
}

/** Returns the file of each endpoint, such as `Scheduals.asmx`, and its operations by whether they send. */
export function endpointOperations(): readonly {
  readonly file: string;
  readonly reads: readonly OperationName[];
  readonly sends: readonly OperationName[];
}[] {
  return ENDPOINTS.map(({ endpoint, names }) => ({
    file: `${endpoint}.asmx`,
    reads: names.filter((name) => !SENDING.has(name)),
    sends: names.filter((name) => SENDING.has(name)),
  }));
}

/** @throws OperatorError for an unknown operation */
export function refuseUnknownOperations(closed: Config['DISABLED_BINDINGS']): void {
  const unknown = closed.find(({ operation }) => !NAMES.some((name) => name === operation))?.operation;
  if (unknown === undefined) return;
  throw new OperatorError(`DISABLED_BINDINGS: unknown operation ${unknown}.${didYouMean(unknown, NAMES)}`);
}

async function readText(what: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new OperatorError(`Cannot read the ${what} ${path}. ${String(cause)}`, { cause });
  }
}

async function readHelp(path: string): Promise<ServiceHelp> {
  const text = await readText('help file', path);
  return parseChecked({ name: path, path, text }, HELP);
}

/**
 * Error that the caller gets for a failure of the service. The reason is not in `cause`, which ASMX shows to
 * callers.
 */
class ServiceFailure extends Error {
  constructor(readonly hidden: unknown) {
    super('An error occurred on the server.');
  }
}

function makeHandler(
  operations: Operations,
  name: OperationName,
  readAnswers: Config['READ_ANSWERS'],
): OperationHandler {
  const operation: (args: never, call: CallContext) => Promise<OperationResult | ReadDocument> =
    operations[name];
  return async (args, call) => {
    try {
      const result = await operation(args as never, call); // The types of both are made from one description.
      if (!(result instanceof ReadDocument)) return result;
      if (readAnswers === 'empty') return undefined;
      return new RawResponse('application/json; charset=utf-8', JSON.stringify(result));
    } catch (error) {
      if (!(error instanceof ClientError)) throw new ServiceFailure(error);
      call.annotate({ reason: error.reason });
      throw new OperationFault('Client', error.message);
    }
  };
}

export function findFailure({ outcome, error }: Exchange): unknown {
  if (outcome !== 'server_error') return undefined;
  return error instanceof ServiceFailure ? error.hidden : error;
}

/** @throws OperatorError when the file cannot be used */
export function openAccess({ ACCESS_FILE: path, ROLE: role }: Config): Access | undefined {
  if (path === undefined || role === 'worker') return undefined;
  return new Access({
    path,
    operations: Object.keys(OPERATIONS),
    schoolKey: canonicalSchoolUrl,
    schoolOf: findSchool,
    codeOperation: 'AuthCode',
  });
}
