import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import express from 'express';

import {
  createAsmx,
  createHttpServer,
  type OperationArguments,
  type OperationHandler,
} from '../../../src/asmx';
import { agentFamily, Metrics, openLog, RequestLog } from '../../../src/telemetry';
import { PACKAGE_ROOT } from '../../../src/support/package-root';
import { readDescription } from '../../harness/wsdl-files';
import { getPupils, getStudentSchool, getTokenDevice } from './bench-handlers';
import { serve } from './serve';

/** A description of the bench's own. */
const RECORDS = join(PACKAGE_ROOT, 'scripts', 'bench', 'targets', 'BenchRecords.wsdl');

const HANDLERS: Readonly<Record<string, Readonly<Record<string, OperationHandler>>>> = {
  AuthCodeSending: { AuthCode: () => Promise.resolve(undefined) },
  NotificationNotes: {
    GetStudentSchool: (args) => Promise.resolve(getStudentSchool(args)),
    SendMarkNotes: () => Promise.resolve(undefined),
  },
  PushNotificationMobile: { GetTokenDevice: (args) => Promise.resolve(getTokenDevice(args)) },
};

/**
 * Our protocol without store, with log line and metrics as the service has them. Imports no door of the harness: what
 * else they load makes a request 4 % dearer.
 */
async function main(): Promise<void> {
  const requests = new RequestLog(openLog('info'));
  const metrics = new Metrics();
  const asmx = await createAsmx({
    endpoints: [
      ...Object.entries(HANDLERS).map(([name, handlers]) => ({
        description: readDescription(name),
        handlers,
      })),
      {
        description: readFileSync(RECORDS, 'utf8'),
        handlers: { GetPupils: (args: OperationArguments) => Promise.resolve(getPupils(args)) },
      },
    ],
    charReading: 'lenient',
    observe: (exchange, request) => {
      const agent = agentFamily(request?.headers['user-agent']);
      metrics.countRequest(exchange, agent);
      requests.write(exchange, { agent, address: undefined }, undefined);
    },
  });
  const app = express().disable('x-powered-by');
  app.use(asmx.middleware);
  serve(createHttpServer(app, asmx, { soap: asmx.middleware }));
}

void main();
