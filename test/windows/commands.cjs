// Runs commands of the installed program under Wine, where a start of Node.js takes seconds: one after the other in one
// process. Takes them over HTTP, since Node.js under this Wine reads from no pipe of Linux.
//
// Usage: node commands.cjs DIST

const { Buffer } = require('node:buffer');
const { createServer } = require('node:http');
const { join } = require('node:path');
const { Readable, Writable } = require('node:stream');
const { json } = require('node:stream/consumers');

const dist = process.argv[2];
const { listCommands, loadRunner } = require(join(dist, 'service.js'));

async function run({ args: [name, ...rest], settings, input }) {
  const texts = { stdout: '', stderr: '' };
  const collect = (stream) =>
    new Writable({
      decodeStrings: false,
      write: (part, _encoding, done) => {
        texts[stream] += part;
        done();
      },
    });
  const host = {
    argv: [process.execPath, name, ...rest],
    versions: process.versions,
    env: settings,
    stdin: Readable.from(input === undefined ? [] : [Buffer.from(input)]),
    stdout: collect('stdout'),
    stderr: collect('stderr'),
  };
  const runCommand = await loadRunner();
  await runCommand(await (await listCommands())[name].load(), host);
  return { code: host.exitCode ?? 0, ...texts };
}

let last = Promise.resolve();
createServer((request, response) => {
  last = last
    .then(async () => run(await json(request)))
    .then((result) => response.end(JSON.stringify(result)))
    .catch((error) => response.writeHead(500).end(String(error.stack)));
}).listen(0, '127.0.0.1', function () {
  console.error(`Commands on port ${this.address().port}.`);
});
