// The curl lines of the pages, on the sample school: each can be copied from a page and gets an answer.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { textOf } from '../asmx/documents/read-page';
import { CALLS } from '../harness/contract-operations';
import { type ServiceHere, useServicesHere } from './use-services-here';

const services = useServicesHere();
let service: ServiceHere;
beforeAll(async () => {
  service = await services.start();
});

describe('the curl lines', () => {
  it.each(CALLS)('get an answer: $name of $endpoint by $binding', async ({ endpoint, name, binding }) => {
    const page = await service.ask({ path: `/${endpoint}.asmx?op=${name}` });
    const line = textOf(page, `${binding}-curl`).replace(/^curl/, "curl -sS --max-time 10 --noproxy '*'");
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', line]);
    expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});
