// Checks what people read: comments and documents. `npm run lint` runs it; it prints what is wrong, one line each.
const { existsSync, readFileSync, statSync } = require('node:fs');
const { execFileSync } = require('node:child_process');
const { join } = require('node:path');

const root = join(__dirname, '..');
const git = ['ls-files', '--cached', '--others', '--exclude-standard'];
const files = execFileSync('git', git, { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));
const ending = (...endings) => files.filter((file) => endings.some((each) => file.endsWith(each)));
const sources = ending('.ts', '.cjs', '.mjs', '.sh', 'console/console.js').map((file) => ({
  file,
  text: readFileSync(join(root, file), 'utf8'),
}));
const documents = ending('.md').map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

const problems = [];
const report = (place, what) => problems.push(`${place}: ${what}`);
const lineAt = (text, index) => text.slice(0, index).split('\n').length;

/** Yields the lines of a source's comments, with their numbers. */
function* commentLines({ file, text }) {
  const pattern = file.endsWith('.sh')
    ? /(?:^|\s)#(?!!)(.*)/
    : /^\s*(?:\/\*\*?|\*(?!\/))(.*)|(?:^|\s)\/\/\s(.*)/;
  for (const [at, line] of text.split('\n').entries()) {
    const [, block, tail] = pattern.exec(line) ?? [];
    const comment = block ?? tail;
    if (comment !== undefined) yield [at + 1, comment];
  }
}

/** Doc comments are sentences: these words begin a fragment. */
const FRAGMENT = /\/\*\*\s+(?:\*\s+)?((?:Of|What|Whether|Who|The same|Those|That)\b.*)/g;

for (const { file, text } of sources)
  for (const match of text.matchAll(FRAGMENT))
    report(`${file}:${lineAt(text, match.index)}`, `a fragment and not a sentence: ${match[1]}`);

/** Names of folders of the repository, with what follows. */
const PATH = /(?<![\w./@-])(?:src|test|docs|wsdl|scripts|packaging)\/[\w./-]*\w/g;
const FILE_NAME = /(?<![\w./*@-])(?:[\w-]+\/)*[\w.-]*\w\.ts\b/g;
/** Examples, and what other programs make. */
const NOT_OURS = /^(?:x\.|.*\.d\.ts$|build\/|dist\/)/;

const exists = (name) =>
  files.some((file) => file.startsWith(name) || file.endsWith(`/${name}`)) || NOT_OURS.test(name);

for (const source of sources)
  for (const [line, comment] of commentLines(source)) {
    const names = [PATH, FILE_NAME].flatMap((pattern) => comment.match(pattern) ?? []);
    for (const name of new Set(names))
      if (!exists(name)) report(`${source.file}:${line}`, `names ${name}, which does not exist`);
  }

/** Citations of the wire contract. Sections of standards are left to their readers. */
const NUMBERS = String.raw`\d+(?:\.\d+)*(?:(?:, | and | to )\d+(?:\.\d+)*)*`;
const CITATION = new RegExp(String.raw`\bsections? (${NUMBERS})(?:, steps? (${NUMBERS}))?`, 'g');
const STANDARD = /(?:RFC \d+|XML 1\.0), $/;
/** Most characters between a section and the document's name before it. */
const REACH = 80;

const contract = readFileSync(join(root, 'docs/internals/wire-contract.md'), 'utf8');
const headings = (pattern) => new Set([...contract.matchAll(pattern)].map(([, number]) => number));
const sections = headings(/^##+ (\d+(?:\.\d+)?)\.? /gm);
const steps = headings(/^### Step (\d+): /gm);

for (const { file, text } of sources) {
  // A comment of several lines becomes one.
  const joined = text.replace(/\s*\n\s*(?:\*|\/\/)?\s+/g, ' ');
  for (const match of joined.matchAll(CITATION)) {
    const [cited, ofSections, ofSteps = ''] = match;
    const before = joined.slice(Math.max(0, match.index - REACH), match.index);
    if (STANDARD.test(before)) continue;
    if (!/wire contract/i.test(before)) report(file, `"${cited}" of which document?`);
    const missing = (numbers, known) =>
      numbers.match(/\d+(?:\.\d+)*/g)?.filter((each) => !known.has(each)) ?? [];
    for (const number of missing(ofSections, sections))
      report(file, `the wire contract has no section ${number}`);
    for (const number of missing(ofSteps, steps)) report(file, `the wire contract has no step ${number}`);
  }
  if (/^test\/asmx\/.*\.test\.ts$/.test(file) && !/^\/\/ .*\bwire contract\b/.test(text))
    report(file, 'a protocol test begins with its section of the wire contract');
}

/** The page whose lines are alerts, which operators see one at a time. */
const RUNBOOK = 'docs/alerts.md';

for (const { file, text } of documents) {
  if (file === RUNBOOK) continue;
  if (/^docs\/[^/]+$/.test(file) && statSync(join(root, file)).size > 12_000)
    report(file, 'a page has at most 12 KB');
  const blank = (block) => block.replace(/[^\n]/g, '');
  const prose = text.replace(/^(```+)[^`\n]*\n.*?^\1$/gms, blank).split('\n');
  for (const [at, line] of prose.entries()) {
    if (line.length > 200) report(`${file}:${at + 1}`, 'a line has at most 200 characters');
    const cells = line.startsWith('| ') ? line.split(/(?<!\\)\|/) : [];
    if (cells.some((cell) => cell.trim().split(/\s+/).length > 12))
      report(`${file}:${at + 1}`, 'a table cell has at most twelve words');
  }
}
if (readFileSync(join(root, 'README.md'), 'utf8').trimEnd().split('\n').length > 90)
  report('README.md', 'has at most 90 lines');

if (problems.length > 0) {
  console.error(problems.join('\n'));
  console.error(`${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`);
  process.exitCode = 1;
}
