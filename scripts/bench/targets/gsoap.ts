import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../harness';
import { runForeign, writeLists } from './foreign';

/** Makes gSOAP's server of our service descriptions, where it is not made yet, and runs it. */
const SOURCE = join(PACKAGE_ROOT, 'scripts', 'bench', 'targets', 'gsoap', 'server.cpp');
const DESCRIPTIONS = ['PushNotificationMobile', 'NotificationNotes'].map((name) =>
  join(PACKAGE_ROOT, 'wsdl', `${name}.wsdl`),
);
const FOLDER = join(PACKAGE_ROOT, 'build', 'gsoap');
/** Where packages put what the generators need. */
const SHARED = '/usr/share/gsoap';

function make(program: string): void {
  const madeAt = existsSync(program) ? statSync(program).mtimeMs : 0;
  if ([SOURCE, ...DESCRIPTIONS].every((file) => statSync(file).mtimeMs < madeAt)) return;
  mkdirSync(FOLDER, { recursive: true });
  const run = (command: string, ...args: readonly string[]): void => {
    execFileSync(command, args, { cwd: FOLDER, stdio: ['ignore', 'ignore', 'pipe'] });
  };
  const types = join(SHARED, 'WS', 'typemap.dat');
  run('wsdl2h', '-I', join(SHARED, 'WS'), '-t', types, '-o', 'services.h', ...DESCRIPTIONS);
  run('soapcpp2', '-S', '-x', '-L', '-I', join(SHARED, 'import'), 'services.h');
  const sources = [SOURCE, 'soapC.cpp', 'soapServer.cpp'];
  run('g++', '-O2', '-DNDEBUG', '-I.', '-o', program, ...sources, '-lgsoap++', '-lpthread');
}

const program = join(FOLDER, 'server');
make(program);
runForeign(program, [writeLists(FOLDER)]);
