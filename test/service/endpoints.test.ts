import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../scripts/harness';
import { BINDINGS } from '../../src/asmx/internal';
import { ContractError, createAsmx } from '../../src/asmx';
import type { Operations } from '../../src/operations';
import {
  endpointOperations,
  findFailure,
  offeredOperations,
  readDescriptions,
  readEndpoints,
} from '../../src/service/endpoints';
import { OperatorError } from '../../src/support/errors';
import { AN_EXCHANGE } from '../harness/an-exchange';
import { useFolder } from '../harness/use-folder';

describe('the endpoints', () => {
  const folder = useFolder();

  /** With other service descriptions than it comes with: a start has the same words for it. */
  async function readingOf(name: string, change: (folder: string) => void): Promise<unknown> {
    const copy = join(folder, name);
    cpSync(join(PACKAGE_ROOT, 'wsdl'), copy, { recursive: true });
    change(copy);
    const operations = {} as Operations; // None is called.
    const endpoints = await readEndpoints(operations, { READ_ANSWERS: 'empty', DISABLED_BINDINGS: [] }, copy);
    return createAsmx({ endpoints });
  }

  it('names a missing service description', async () => {
    const removed = readingOf('missing-description', (copy) => {
      rmSync(join(copy, 'Scheduals.wsdl'));
    });
    const path = join(folder, 'missing-description', 'Scheduals.wsdl');
    await expect(removed).rejects.toThrow(OperatorError);
    await expect(removed).rejects.toThrow(`Cannot read the service description ${path}.`);
  });

  it('names the place of an error in the help texts', async () => {
    const path = (name: string): string => join(folder, name, 'Scheduals.help.json');
    const changed = (name: string, text: string) =>
      readingOf(name, () => {
        writeFileSync(path(name), text);
      });
    await expect(changed('no-json', '{\n"')).rejects.toThrow(
      `${path('no-json')} is not valid JSON at line 2, column 1.`,
    );
    await expect(changed('wrong-help', '{"GetExamTableByExamId": {"summary": 1}}')).rejects.toThrow(
      `${path('wrong-help')}, GetExamTableByExamId > summary: `,
    );
    const removed = readingOf('missing-help', () => {
      rmSync(path('missing-help'));
    });
    await expect(removed).rejects.toThrow(OperatorError);
    await expect(removed).rejects.toThrow(`Cannot read the help file ${path('missing-help')}.`);
  });

  it('names the operation whose service description is the wrong one', async () => {
    const exchanged = readingOf('wrong-description', (copy) => {
      cpSync(join(copy, 'GetNoteType.wsdl'), join(copy, 'Scheduals.wsdl'));
    });
    await expect(exchanged).rejects.toThrow(ContractError);
    await expect(exchanged).rejects.toThrow('GetExamTableByExamId');
  });

  it('names the operation that the service description lacks', async () => {
    const renamed = readingOf('renamed-operation', (copy) => {
      const path = join(copy, 'PushNotificationMobile.wsdl');
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll('GetTokenDevice', 'GetDeviceToken'));
    });
    await expect(renamed).rejects.toThrow(ContractError);
    await expect(renamed).rejects.toThrow('lacks the operation GetTokenDevice');
  });

  it('offer the operations of the contract', () => {
    const files = endpointOperations().map(({ file, reads, sends }) => [file, { reads, sends }] as const);
    expect(Object.fromEntries(files)).toMatchObject({
      'AuthCodeSending.asmx': { reads: [], sends: ['AuthCode'] },
      'GetNoteType.asmx': { reads: ['GetStudentsNoteType'], sends: [] },
      'NotificationNotes.asmx': { reads: ['GetStudentSchool'], sends: ['SendMarkNotes'] },
      'PushNotificationMobile.asmx': { reads: ['GetTokenDevice'], sends: [] },
      'Scheduals.asmx': { reads: ['GetExamTableByExamId'], sends: [] },
    });
  });

  it('offer no binding that is disabled for the operation', () => {
    const offered = offeredOperations({ DISABLED_BINDINGS: [{ operation: 'AuthCode', binding: 'get' }] });
    expect(Object.fromEntries(offered.map(({ name, sends }) => [name, sends]))).toMatchObject({
      AuthCode: true,
      GetStudentsNoteType: false,
      GetStudentSchool: false,
      SendMarkNotes: true,
      GetTokenDevice: false,
      GetExamTableByExamId: false,
    });
    expect(offered[0]?.bindings).toEqual(BINDINGS.filter((binding) => binding !== 'get'));
    for (const { bindings } of offered.slice(1)) expect(bindings).toEqual(BINDINGS);
  });

  it('close what is disabled, and nothing else', async () => {
    const endpoints = await readEndpoints({} as Operations, {
      READ_ANSWERS: 'empty',
      DISABLED_BINDINGS: [{ operation: 'SendMarkNotes', binding: 'post' }],
    });
    const closed = Object.assign({}, ...endpoints.map((endpoint) => endpoint.closed)) as object;
    expect(closed).toMatchObject({ AuthCode: [], GetStudentSchool: [], SendMarkNotes: ['post'] });
    expect(Object.values(closed).flat()).toEqual(['post']);
  });

  it('are described with the namespace of the installation', async () => {
    const texts = await readDescriptions('http://school.example/ns');
    expect([...texts.keys()]).toEqual(endpointOperations().map(({ file }) => `/${file}`));
    for (const text of texts.values()) {
      expect(text).toContain('targetNamespace="http://school.example/ns"');
      expect(text).not.toContain('http://tempuri.org/');
    }
  });

  it('hide the reason of a failure from callers', async () => {
    const failure = new Error('SELECT is broken');
    const operations = { GetTokenDevice: () => Promise.reject(failure) } as unknown as Operations;
    const endpoints = await readEndpoints(operations, { READ_ANSWERS: 'empty', DISABLED_BINDINGS: [] });
    const handler = endpoints
      .map(({ handlers }) => handlers['GetTokenDevice'])
      .find((each) => each !== undefined);
    const error: unknown = await Promise.resolve(handler?.({} as never, {} as never)).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ message: 'An error occurred on the server.' });
    expect((error as Error).cause).toBeUndefined();
    const exchange = { ...AN_EXCHANGE, outcome: 'server_error', error } as const;
    expect(findFailure(exchange)).toBe(failure);
    expect(findFailure({ ...exchange, error: failure })).toBe(failure);
    expect(findFailure({ ...exchange, outcome: 'client_error' })).toBeUndefined();
  });
});
