import { createServer } from 'node:http';

import express from 'express';
import { listen } from 'soap';

import { readDescription } from '../../harness';
import { getStudentSchool, getTokenDevice } from './bench-handlers';
import { serve } from './serve';

/** node-soap as its documentation shows it: one `listen` per service description on an Express application. */
const PORT_TYPES = {
  AuthCodeSending: { AuthCode: () => ({}) },
  NotificationNotes: {
    GetStudentSchool: (args: Parameters<typeof getStudentSchool>[0]) => ({
      GetStudentSchoolResult: { StudentInfo: getStudentSchool(args) },
    }),
  },
  PushNotificationMobile: {
    GetTokenDevice: (args: Parameters<typeof getTokenDevice>[0]) => ({
      GetTokenDeviceResult: getTokenDevice(args),
    }),
  },
};

const app = express();
for (const name of ['AuthCodeSending', 'NotificationNotes', 'PushNotificationMobile'] as const) {
  const operations = PORT_TYPES[name];
  const ports = { [`${name}Soap`]: operations, [`${name}Soap12`]: operations };
  listen(app, `/${name}.asmx`, { [name]: ports }, readDescription(name));
}
serve(createServer(app));
