import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
  type Binding,
  type EndpointDefinition,
  type Exchange,
  OperationFault,
  type OperationHandler,
  type OperationResult,
  RawResponse,
} from './asmx';
import type { Config } from './config';
import { OperatorError } from './errors';
import {
  type Arguments,
  ClientError,
  type OperationName,
  type Operations,
  ReadDocument,
  SENDING,
} from './operations';
import { nearestName } from './text';

const ENDPOINTS: Readonly<Record<string, readonly OperationName[]>> = {
  'AuthCodeSending.wsdl': ['AuthCode'],
  'Scheduals.wsdl': ['GetExamTableByExamId'],
  'GetNoteType.wsdl': ['GetStudentsNoteType'],
  'NotificationNotes.wsdl': ['GetStudentSchool', 'SendMarkNotes'],
  'PushNotificationMobile.wsdl': ['GetTokenDevice'],
};

/**
 * Reads the service descriptions, and gives each operation to the endpoint that offers it.
 *
 * @param folder - where the descriptions are
 * @throws OperatorError
 */
export async function readEndpoints(
  folder: string,
  operations: Operations,
  {
    READ_ANSWERS: readAnswers,
    DISABLED_BINDINGS: closed,
  }: Pick<Config, 'READ_ANSWERS' | 'DISABLED_BINDINGS'>,
): Promise<readonly EndpointDefinition[]> {
  refuseUnknownOperations(closed);
  return Promise.all(
    Object.entries(ENDPOINTS).map(async ([file, names]) => ({
      description: await readDescription(join(folder, file)),
      handlers: Object.fromEntries(names.map((name) => [name, handlerOf(operations[name], readAnswers)])),
      closed: Object.fromEntries(
        names.map((name) => [
          name,
          closed.filter(({ operation }) => operation === name).map(({ binding }) => binding),
        ]),
      ),
    })),
  );
}

/** An operation, over which bindings it is offered, and whether it sends. */
export interface OfferedOperation {
  readonly name: OperationName;
  readonly bindings: readonly Binding[];
  readonly sends: boolean;
}

const BINDINGS: readonly Binding[] = ['soap11', 'soap12', 'get', 'post'];

export function offeredOperations({
  DISABLED_BINDINGS: closed,
}: Pick<Config, 'DISABLED_BINDINGS'>): readonly OfferedOperation[] {
  return Object.values(ENDPOINTS)
    .flat()
    .map((name) => ({
      name,
      bindings: BINDINGS.filter(
        (binding) => !closed.some((each) => each.operation === name && each.binding === binding),
      ),
      sends: SENDING.has(name),
    }));
}

/** The file of each endpoint, such as `Scheduals.asmx`, and its operations by whether they send. */
export function endpointOperations(): readonly {
  readonly file: string;
  readonly reads: readonly OperationName[];
  readonly sends: readonly OperationName[];
}[] {
  return Object.entries(ENDPOINTS).map(([description, names]) => ({
    file: description.replace(/wsdl$/, 'asmx'),
    reads: names.filter((name) => !SENDING.has(name)),
    sends: names.filter((name) => SENDING.has(name)),
  }));
}

/** @throws OperatorError for an operation that there is not */
export function refuseUnknownOperations(closed: Config['DISABLED_BINDINGS']): void {
  const known = Object.values(ENDPOINTS).flat();
  const unknown = closed.find(({ operation }) => !known.some((name) => name === operation))?.operation;
  if (unknown === undefined) return;
  throw new OperatorError(
    `DISABLED_BINDINGS names the operation ${unknown}, which there is not. The nearest is ${nearestName(unknown, known)}.`,
  );
}

async function readDescription(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new OperatorError(`The service description ${path} cannot be read. ${String(cause)}`, { cause });
  }
}

/** What the caller sees of a failure of the service. The cause is no `cause`: ASMX shows those to the caller. */
class ServiceFailure extends Error {
  constructor(readonly hidden: unknown) {
    super('An error occurred on the server.');
  }
}

function handlerOf(
  operation: Operations[OperationName],
  readAnswers: Config['READ_ANSWERS'],
): OperationHandler {
  return async (args, call) => {
    try {
      // The service descriptions list exactly the parameters of the operations: a test compares the two.
      const result = await operation(args as Arguments<OperationName>, call);
      return result instanceof ReadDocument ? readAnswer(result, readAnswers) : result;
    } catch (error) {
      if (!(error instanceof ClientError)) throw new ServiceFailure(error);
      call.annotate({ reason: error.message });
      throw new OperationFault('Client', error.message);
    }
  };
}

function readAnswer(document: ReadDocument, readAnswers: Config['READ_ANSWERS']): OperationResult {
  if (readAnswers === 'empty') return undefined;
  return new RawResponse('application/json; charset=utf-8', JSON.stringify(document));
}

/** What the log tells of an exchange that failed on our side. */
export function failureOf({ outcome, error }: Exchange): unknown {
  if (outcome !== 'server_error') return undefined;
  return error instanceof ServiceFailure ? error.hidden : error;
}
