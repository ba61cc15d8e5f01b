// The examples of the pages, on the sample school: each can be copied from a page and gets an answer.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ServiceHelp } from '../../src/asmx/internal';
import { PACKAGE_ROOT } from '../../scripts/harness';
import { markupOf, plain } from '../asmx/documents/read-page';
import { readRequest } from '../asmx/documents/sample-request';
import { CALLS, type DescribedOperation } from '../harness/contract-operations';
import { type ServiceHere, useServicesHere } from './use-services-here';

const services = useServicesHere();
let service: ServiceHere;
beforeAll(async () => {
  service = await services.start();
});

const pathOf = ({ endpoint, name }: DescribedOperation): string => `/${endpoint}.asmx?op=${name}`;
const helpOf = ({ endpoint, name }: DescribedOperation) => {
  const text = readFileSync(join(PACKAGE_ROOT, 'wsdl', `${endpoint}.help.json`), 'utf8');
  const help = (JSON.parse(text) as ServiceHelp)[name];
  if (help === undefined) throw new Error(`No help describes ${name}`);
  return help;
};

/** A call of the contract as its page shows it. */
async function sampleOf(call: (typeof CALLS)[number]): Promise<string> {
  const page = await service.ask({ path: pathOf(call) });
  return plain(markupOf(page, `${call.binding}-request`));
}

/** Returns a value as written in a message of a binding. */
function written(value: string, binding: string): string {
  if (binding === 'get' || binding === 'post') return encodeURIComponent(value);
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

describe('the samples', () => {
  it.each(CALLS)('get an answer: $name of $endpoint by $binding', async (call) => {
    const { status, text } = await service.ask(readRequest(await sampleOf(call)));
    expect(status).toBe(200);
    if (call.name === 'GetTokenDevice') expect(text).toContain('sample-token-01');
    if (call.name === 'GetStudentSchool') expect(text).toContain('<id_student>S1</id_student>');
  });
});

const REFUSALS = CALLS.flatMap((call) =>
  Object.entries(helpOf(call).parameters).flatMap(([parameter, { example, refused }]) =>
    example === undefined || refused === undefined ? [] : [{ ...call, parameter, example, refused }],
  ),
);

describe("the pages' help for bad values", () => {
  it.each(REFUSALS)(
    'is correct: $parameter of $name of $endpoint by $binding',
    async ({ parameter, example, refused, ...call }) => {
      const sample = await sampleOf(call);
      const isSoap = call.binding.startsWith('soap');
      const place = (value: string): string =>
        `${parameter}${isSoap ? '>' : '='}${written(value, call.binding)}`;
      expect(sample).toContain(place(example));
      const answer = await service.ask(
        readRequest(sample.replace(place(example), () => place(refused.value))),
      );
      expect(answer.status).toBe(500);
      expect(answer.text).toContain(refused.text);
      const page = await service.ask({ path: pathOf(call) });
      expect(plain(page.text)).toContain(refused.text);
    },
  );
});
