import { join } from 'node:path';

import express, { type RequestHandler, type Response, type Router } from 'express';

import { html, type Html, NOTHING } from '../../support/html';
import { type Action, actorText } from '../../admin/login/actions';
import type { AdminUsers } from '../../admin/login/admin-login';
import {
  DATE_ORDERS,
  ENCODINGS,
  type FileReport,
  HIDDEN,
  type ImportReport,
  type UndoReport,
} from '../../store';
import { FEATURE_ACTION_LOG, FEATURE_BOOKS } from '../feature';
import type { Sentence } from '../../support/phrase';
import { shown } from '../../support/text';
import {
  errorsCsv,
  groupProblems,
  type ProblemGroup,
  questionLines,
  removalLines,
  summaryLines,
  undoLines,
} from '../../admin/reports/import-texts';
import type { Text, Words } from '../../admin/texts/words';
import {
  helpLink,
  hiddenFields,
  livePart,
  type PageViewer,
  findViewer,
  sendPage,
  table,
  timePart,
} from '../../admin/console/console-page';
import {
  type ConsoleImport,
  ConsoleImports,
  type ConsoleImportsOptions,
  importRunner,
  isWriting,
  MAX_UPLOAD_BYTES,
} from './imports';
import { ImportRefused } from './upload-form';
import type { ConsoleCore, ConsolePart } from '../../admin/console/console-part';
import { fieldText } from '../../admin/console/message-address';
import { sendCsvFile } from '../../admin/console/message-csv';
import { readFields, pageForm, requireRole } from '../../admin/console/message-routes';

const PATH = '/schools/import';
const STATE_PART = 'import-state';
const FORM_PART = 'import-form';
const HISTORY_PART = 'import-history';
const UNDO_PART = 'import-undo';
const HISTORY_LENGTH = 20;

/**
 * Returns the page, and its link above the list of schools.
 *
 * @param options - replace those of the service
 */
export function importConsole(core: ConsoleCore, options: Partial<ConsoleImportsOptions> = {}): ConsolePart {
  const { store, config, node } = core;
  const imports = new ConsoleImports({
    ...{ store, run: importRunner(config), node: node.name },
    folder: join(config.DATA_DIR, `uploads-${String(config.PORT)}`),
    ...options,
  });
  return {
    routes: importRoutes(core, imports),
    aboveSchools: ({ words, may }) =>
      may('import')
        ? html`<p class="actions"><a href="${PATH}">${words.t('Import school data')}</a></p>\n`
        : NOTHING,
    stop: () => imports.stop(),
  };
}

function importRoutes({ store, users, live, liveEveryMs }: ConsoleCore, imports: ConsoleImports): Router {
  const router = express.Router();
  const mayImport = requireRole(users, 'import');
  const whoFor = (response: Response): string => users.userFor(response).name ?? 'local';
  const history = async (words: Words): Promise<Html> =>
    FEATURE_ACTION_LOG === undefined
      ? NOTHING
      : historyPart(await FEATURE_ACTION_LOG.list(store, 'import', HISTORY_LENGTH), words);
  const undo = async (seen: PageViewer): Promise<Html> =>
    undoPart(imports.isBusy ? undefined : await store.lastUndo(), seen);
  const show = async (response: Response, refusal?: ImportRefused): Promise<void> => {
    const seen = findViewer(users, response);
    const { words } = seen;
    const { current } = imports;
    sendPage(response, seen, {
      title: words.t('Import'),
      section: '/schools',
      status: refusal?.status ?? 200,
      content: html`<h1>${words.t('Import school data')}</h1>
${refusal === undefined ? NOTHING : html`<p class="bad" role="alert">${words.said(refusal.sentence)}</p>\n`}\
${livePart(STATE_PART, statePart(current, whoFor(response), seen))}\
${livePart(FORM_PART, formPart(imports.isBusy, seen))}${livePart(UNDO_PART, await undo(seen))}\
${livePart(HISTORY_PART, await history(words))}`,
      live: `/live${PATH}`,
    });
  };
  /** Acts, and shows the page again, with the reason if the action is refused. */
  const act = async (response: Response, action: () => Promise<void>): Promise<void> => {
    try {
      await action();
      response.redirect(303, PATH);
    } catch (error) {
      if (!(error instanceof ImportRefused)) throw error;
      await show(response, error);
    }
  };

  router.get(PATH, mayImport, (_request, response) => show(response));
  router.get(`/live${PATH}`, mayImport, (request, response) => {
    const seen = findViewer(users, response);
    const every = { everyMs: liveEveryMs };
    return live.serve(request, response, [
      {
        ...{ id: STATE_PART, ...every },
        render: () => Promise.resolve(statePart(imports.current, whoFor(response), seen)),
      },
      { id: FORM_PART, ...every, render: () => Promise.resolve(formPart(imports.isBusy, seen)) },
      { id: UNDO_PART, ...every, render: () => undo(seen) },
      { id: HISTORY_PART, ...every, render: () => history(seen.words) },
    ]);
  });
  router.post(PATH, mayImport, (request, response) =>
    act(response, () =>
      imports.upload(request, whoFor(response), (token) => users.isPageToken(response, token)),
    ),
  );
  router.post(`${PATH}/confirm`, ...pageForm(users), mayImport, (request, response) =>
    act(response, async () => {
      const { id, yes, checked } = readFields(request);
      imports.confirm(fieldText(id) ?? '', whoFor(response), yes !== undefined, checked !== undefined);
      await users.record(response, 'import confirmed', {});
    }),
  );
  router.post(`${PATH}/cancel`, ...pageForm(users), mayImport, (request, response) =>
    act(response, () => imports.cancel(fieldText(readFields(request)['id']) ?? '')),
  );
  router.post(`${PATH}/undo`, ...pageForm(users), mayImport, (_request, response) =>
    act(response, async () => {
      const { files } = await imports.undo(whoFor(response));
      const rows = files.reduce(
        (sum, { deletedRows, restoredRows, returnedRows }) => sum + deletedRows + restoredRows + returnedRows,
        0,
      );
      await users.record(response, 'import undone', {
        files: files.map(({ file }) => file).join(', '),
        rows,
      });
    }),
  );
  router.use(fileRoutes(users, imports, mayImport));
  return router;
}

/** Serves the workbook to fill in, and the errors of the last check. */
function fileRoutes(users: AdminUsers, imports: ConsoleImports, mayImport: RequestHandler): Router {
  const router = express.Router();
  if (FEATURE_BOOKS !== undefined) {
    const { template } = FEATURE_BOOKS;
    router.get(`${PATH}/template.xlsx`, mayImport, async (_request, response) => {
      const workbook = await template(findViewer(users, response).words.language);
      response.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
      response.attachment('school.xlsx').send(workbook);
    });
  }
  router.get(`${PATH}/errors.csv`, mayImport, (_request, response) => {
    const { problems = [], problemCount = 0 } = imports.current?.report ?? {};
    const { words } = findViewer(users, response);
    const shownProblems = problems.map((each) => ({
      ...each,
      reason: errorText({ line: each.reason }, words),
    }));
    sendCsvFile(response, 'import-errors.csv', errorsCsv({ problems: shownProblems, problemCount }));
  });
  return router;
}

const STEPS: Readonly<Record<ConsoleImport['step'], Text>> = {
  uploading: '{who} is uploading files, since {time}.',
  checking: 'The files of {who} are being checked, since {time}.',
  checked: '{who} uploaded these files, checked {time}. Nothing has been written yet.',
  refused: '{errors} in {files}; correct them and upload again ({who}, {time}).',
  importing: '{who} is importing, since {time}.',
  imported: '{who} imported these files: {time}.',
  undoing: '{who} is undoing the last import, since {time}.',
  undone: '{who} undid the last import: {time}.',
  failed: 'The import of {who} failed: {time}.',
};

/** Fields of the form, by the options of the command that they set. */
const FIELDS = {
  '--encoding': 'Encoding',
  '--date-order': 'Dates with slashes',
  '--ignore-extra-columns': 'Skip unknown columns',
  '--map': 'Map of other names (JSON)',
} as const satisfies Readonly<Record<string, Text>>;

/** Writes an error of the command, with fields of the form in the place of its options. */
function errorText(error: Sentence<Text>, words: Words): string {
  return Object.entries(FIELDS).reduce(
    (text, [option, field]) => text.replaceAll(option, `“${words.t(field)}”`),
    words.said(error),
  );
}

/** Shows the last import, and what its user can do. */
function statePart(current: ConsoleImport | undefined, viewer: string, seen: PageViewer): Html {
  if (current === undefined) return NOTHING;
  const { words, token } = seen;
  const { id, who, at, step, progress, report, problem, undo } = current;
  const isPartial = (step === 'checked' || step === 'imported') && (report?.problemCount ?? 0) > 0;
  const kind =
    { checked: 'warn', refused: 'bad', failed: 'bad', imported: 'good', undone: 'good' }[step as string] ??
    '';
  const isRunning = step === 'uploading' || step === 'checking';
  const cancel = html`<form class="actions" method="post" action="${PATH}/cancel">
${hiddenFields({ token, id })}<button class="danger">${words.t('Cancel')}</button>\
${isRunning ? html` <a href="${PATH}">${words.t('Refresh')}</a>` : NOTHING}</form>\n`;
  return html`<p class="lead ${isPartial ? 'warn' : kind}" role="status">\
${words.html(STEPS[step], { who: shown(who), time: timePart(at, words), ...errorCounts(report, words) })}</p>
${problem === undefined ? NOTHING : html`<p class="bad">${shown(errorText(problem, words))}</p>\n`}${
    isPartial
      ? html`<p class="warn">\
${words.said('Files with errors are not imported, nor are files that refer to them.')}</p>\n`
      : NOTHING
  }${
    progress === undefined
      ? NOTHING
      : html`<p>\
<progress max="${String(Math.max(progress.bytes, 1))}" value="${String(progress.bytesRead)}" \
aria-label="${progress.file}">\
</progress> ${progress.file}: ${words.count(progress.rows, '{n} row', '{n} rows')} \
(${words.said(progress.step)})</p>\n`
  }${
    undo === undefined
      ? NOTHING
      : html`<ul>${undoLines(undo, true).map((line) => html`<li>${words.said(line)}</li>\n`)}</ul>\n`
  }${report === undefined ? NOTHING : reportPart(report, step === 'imported', words)}\
${
  step === 'checked' && who === viewer && report !== undefined ? confirmForm(current, report, seen) : NOTHING
}${isRunning || step === 'checked' ? cancel : NOTHING}\
${isWriting(current) ? html`<p><a href="${PATH}">${words.t('Refresh')}</a></p>\n` : NOTHING}`;
}

/** Counts the errors of a report, and the files that have some. */
function errorCounts(
  report: ImportReport | undefined,
  words: Words,
): { readonly errors: string; readonly files: string } {
  const files = report?.files.filter(({ errors }) => errors > 0).length ?? 0;
  return {
    errors: words.count(report?.problemCount ?? 0, '{n} error', '{n} errors'),
    files: words.count(files, '{n} file', '{n} files'),
  };
}

/** Shows the report of the command: files, numbers to check, errors. */
function reportPart(report: ImportReport, isDone: boolean, words: Words): Html {
  const { groups, others } = groupProblems(report);
  const lines = [...summaryLines(report), ...removalLines(report, isDone)];
  return html`<h2>${words.t('Files')}</h2>
${table<FileReport>(words, {
  ...{ label: 'Files', rows: report.files, none: 'Nothing to show.' },
  columns: [
    { name: 'File', cell: ({ file }) => file },
    { name: 'Result', cell: ({ outcome }) => words.said(outcome) },
    { name: 'Rows', cell: ({ rows }) => rows, kind: 'number' },
    { name: 'New', cell: ({ newRows }) => newRows, kind: 'number' },
    { name: 'Changed', cell: ({ changedRows }) => changedRows, kind: 'number' },
    { name: 'Unchanged', cell: ({ unchangedRows }) => unchangedRows, kind: 'number' },
    { name: 'Errors', cell: ({ errors }) => errors, kind: 'number' },
  ],
})}<ul>${lines.map((line) => html`<li>${words.said(line)}</li>\n`)}</ul>
${
  groups.length === 0
    ? NOTHING
    : html`<h2>${words.t('Errors')}</h2>
${table<ProblemGroup>(words, {
  ...{ label: 'Errors', rows: groups },
  columns: [
    { name: 'File', cell: ({ file }) => shown(file) },
    { name: 'Line', cell: ({ lines: at }) => words.said(at) },
    { name: 'Column', cell: ({ column }) => shown(column) },
    {
      name: 'Value',
      cell: ({ values }) =>
        shown(values.map((each) => (each === HIDDEN ? words.said(each) : each)).join(', ')),
      kind: 'long',
    },
    { name: 'Error', cell: ({ reason }) => shown(errorText({ line: reason }, words)), kind: 'long' },
  ],
})}${others > 0 ? html`<p>${words.count(others, '{n} more error', '{n} more errors')}</p>\n` : NOTHING}
<p class="actions"><a href="${PATH}/errors.csv">${words.t('Download CSV')}</a></p>
`
}`;
}

function confirmForm({ id }: ConsoleImport, report: ImportReport, seen: PageViewer): Html {
  const { files, removals, removesTooMuch } = report;
  const questions = questionLines(report);
  const { words, token } = seen;
  const rows = files
    .filter(({ outcome }) => outcome === 'checked')
    .reduce((sum, { newRows, changedRows }) => sum + newRows + changedRows, 0);
  const removed = removals.reduce((sum, each) => sum + each.rows, 0);
  if (rows + removed === 0)
    return html`<p>${words.t('Nothing to import: the database already has all rows of these files.')}</p>\n`;
  const button =
    rows === 0
      ? words.t('Delete {rows}', { rows: words.count(removed, '{n} row', '{n} rows') })
      : words.t('Import {rows}', { rows: words.count(rows, '{n} row', '{n} rows') });
  return html`<form method="post" action="${PATH}/confirm">${hiddenFields({ token, id })}${
    removesTooMuch
      ? html`<p><label>\
<input type="checkbox" name="yes" value="1" required> ${words.t('Delete more than a fifth of a table')}\
</label></p>`
      : NOTHING
  }${
    questions.length === 0
      ? NOTHING
      : html`<h2>${words.t('This looks wrong')}</h2>\n<ul class="warn">
${questions.map((line) => html`<li>${words.said(line)}</li>\n`)}</ul>\n<p><label>\
<input type="checkbox" name="checked" value="1" required> ${words.t('I have checked this: it is right')}\
</label></p>`
  }<p class="actions"><button>${button}</button></p></form>
`;
}

/** Shows the form for files and options; nothing while an import is in progress. */
function formPart(isBusy: boolean, { token, words }: PageViewer): Html {
  if (isBusy) return NOTHING;
  const choice = (name: 'encoding' | 'date-order', none: string, values: readonly string[]): Html =>
    html`<div class="field"><label for="i-${name}">${words.t(FIELDS[`--${name}`])}</label>\
<select id="i-${name}" name="${name}"><option value="">${none}</option>\
${values.map((value) => html`<option>${value}</option>`)}</select></div>\n`;
  const box = (name: string, label: string): Html =>
    html`<p><label><input type="checkbox" name="${name}" value="1"> ${label}</label></p>\n`;
  return html`<p>\
${words.t(
  'Upload CSV files, or one Excel workbook with a sheet for each: at most {n} MB. They are checked first; nothing is written until you confirm.',
  { n: MAX_UPLOAD_BYTES / 2 ** 20 },
)}${
    FEATURE_BOOKS === undefined
      ? NOTHING
      : html` <a href="${PATH}/template.xlsx">${words.t('Workbook to fill in')}</a>`
  }${helpLink('import-school-data', words)}</p>
<form class="filter" method="post" action="${PATH}" enctype="multipart/form-data">${hiddenFields({ token })}
<div class="fields">
<div class="field"><label for="i-files">${words.t('Files')}</label>\
<input id="i-files" name="files" type="file" multiple required accept=".csv,.xlsx"></div>
${choice('encoding', 'UTF-8', ENCODINGS)}${choice('date-order', words.t('none'), DATE_ORDERS)}
<div class="field"><label for="i-map">${words.t(FIELDS['--map'])}</label>\
<input id="i-map" name="map" type="file" accept=".json"></div>
</div>
${box('ignore-extra-columns', words.t(FIELDS['--ignore-extra-columns']))}\
${box('replace', words.t('Also delete rows of these schools that are not in the files'))}<button>\
${words.t('Check the files')}</button>
</form>
`;
}

/** Offers the undo of the last import, with what it would do. */
function undoPart(undo: UndoReport | undefined, { token, words }: PageViewer): Html {
  if (undo?.isPossible !== true) return NOTHING;
  return html`<details><summary>\
${words.html('Undo the last import ({time}) …', { time: timePart(undo.at, words) })}</summary>
<ul>${undoLines(undo, false).map((line) => html`<li>${words.said(line)}</li>\n`)}</ul>
<p>${words.t('Messages already sent stay sent.')}</p>
<form class="actions" method="post" action="${PATH}/undo">${hiddenFields({ token })}<button class="danger">\
${words.t('Undo the import')}</button></form>
</details>
`;
}

/** Lists the last imports of all nodes: who imported what, and when. */
function historyPart(entries: readonly Action[], words: Words): Html {
  return html`<h2>${words.t('Last imports from this page')}</h2>
${table<Action>(words, {
  ...{ label: 'Last imports from this page', rows: entries, none: 'None from this page yet.' },
  columns: [
    { name: 'Time', cell: ({ at }) => timePart(at, words) },
    { name: 'Who', cell: ({ who }) => actorText(who, words) },
    { name: 'Files', cell: ({ detail }) => shown(String(detail['files'] ?? '')), kind: 'long' },
    {
      name: 'Result',
      cell: ({ detail }) =>
        detail['result'] === 'refused'
          ? html`<span class="bad">${words.said('refused')}</span>`
          : words.said('loaded'),
    },
    { name: 'Rows', cell: ({ detail }) => Number(detail['rows']), kind: 'number' },
    { name: 'Errors', cell: ({ detail }) => Number(detail['errors']), kind: 'number' },
  ],
})}`;
}
