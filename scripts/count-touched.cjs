// Counts the files of src/ in which a SOAP read and a code run, as CONTRIBUTING.md shows it: npm run build, then
// node scripts/count-touched.cjs [--list]. Starts the service with the sample school, calls it a few times, and has V8
// count the functions that one more call runs, until nothing of it is left to do: log, delivery and its record included.
const { spawn } = require('node:child_process');
const { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { setTimeout: pause } = require('node:timers/promises');
const { pathToFileURL } = require('node:url');

const BUILT = join(__dirname, '..', 'dist');
const OUTPUT = process.env.COUNT_TOUCHED;
/** Long enough for a worker's next look, and for a log that is written later. */
const SETTLE_MS = 3000;

if (OUTPUT === undefined) void count();
else countInside(OUTPUT);

/** Runs inside the service: each SIGUSR2 writes the files in which functions ran since the one before. */
function countInside(output) {
  const bundle = pathToFileURL(join(BUILT, 'service.js'));
  // esbuild writes the path of each source above what it made of it.
  const sources = [...readFileSync(bundle, 'latin1').matchAll(/^\/\/ (\S+\.\w+)$/gm)];
  const sourceOf = (offset) => sources.findLast(({ index }) => index < offset)?.[1] ?? '';
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  process.on('SIGUSR2', () => {
    session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
      const { functions } = result.find(({ url }) => url === bundle.href);
      const ran = functions.filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0);
      const files = new Set(ran.map(({ ranges }) => sourceOf(ranges[0].startOffset)));
      writeFileSync(output, JSON.stringify([...files].filter((file) => file.startsWith('src/'))));
    });
  });
}

async function count() {
  const folder = mkdtempSync(join(tmpdir(), 'touched-'));
  const output = join(folder, 'files.json');
  const settings = { PORT: '0', ADMIN_PORT: 'off', DATA_DIR: join(folder, 'data'), SAMPLE_DATA: 'true' };
  const service = spawn(
    process.execPath,
    ['--enable-source-maps', '--require', __filename, join(BUILT, 'main.js'), 'start'],
    {
      env: { ...process.env, ...settings, COUNT_TOUCHED: output },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  try {
    const address = await addressIn(service.stderr);
    const take = async () => {
      rmSync(output, { force: true });
      service.kill('SIGUSR2');
      while (!existsSync(output)) await pause(20);
      await pause(20);
      return JSON.parse(readFileSync(output, 'utf8'));
    };
    for (const [name, call] of Object.entries(CALLS)) {
      for (let time = 0; time < 3; time += 1) await call(address, time);
      await pause(SETTLE_MS);
      await take();
      // Functions that run anyway, at intervals.
      await pause(SETTLE_MS);
      const idle = new Set(await take());
      await call(address, 9);
      await pause(SETTLE_MS);
      const files = (await take()).filter((file) => !idle.has(file));
      console.log(`${name}: ${files.length} files`);
      if (process.argv.includes('--list')) console.log(files.toSorted().join('\n'));
    }
  } finally {
    service.kill('SIGTERM');
    await new Promise((resolve) => service.once('close', resolve));
    rmSync(folder, { recursive: true });
  }
}

const CALLS = {
  'a SOAP read (GetTokenDevice)': (address) =>
    soap(address, 'PushNotificationMobile.asmx', 'GetTokenDevice', '<id>DEV-1</id>'),
  'a code (AuthCode)': (address, time) =>
    soap(
      address,
      'AuthCodeSending.asmx',
      'AuthCode',
      `<phone>+9055511122${40 + time}</phone><code>12${time}4</code>`,
    ),
};

async function soap(address, path, operation, parts) {
  const response = await globalThis.fetch(`${address}/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"http://tempuri.org/${operation}"` },
    body: `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><${operation} xmlns="http://tempuri.org/">${parts}</${operation}></s:Body></s:Envelope>`,
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${operation}: ${response.status} ${text}`);
}

/** Resolves with the address that the service prints. */
function addressIn(stream) {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.on('data', (piece) => {
      text += piece;
      const [, address] = /^Listening on (\S+)$/m.exec(text) ?? [];
      if (address !== undefined && text.includes('Press Ctrl-C')) resolve(address);
    });
    stream.on('close', () => reject(new Error(text)));
  });
}
