import { type Language, type Text, Words } from '../../admin/texts/words';
import { CSV_FILE_COLUMNS } from '../../store';
import { html } from '../../support/html';
import { zipArchive } from '../../support/zip';

/** A column of a sheet: an example, what belongs there, and the values to choose from. */
interface TemplateColumn {
  readonly example: string;
  readonly help: Text;
  /** Values separated by commas, or an area of a sheet. */
  readonly list?: string;
}

const SCHOOL: TemplateColumn = {
  example: 'https://school.example',
  help: 'Base URL of the school, as in the sheet schools',
  list: 'schools!$A$2:$A$1000',
};

const column = (example: string, help: Text, list?: string): TemplateColumn => ({
  ...{ example, help },
  ...(list !== undefined && { list }),
});

/** Columns by sheet and heading. */
const COLUMNS: Readonly<Record<string, Readonly<Record<string, TemplateColumn>>>> = {
  schools: {
    base_url: column(SCHOOL.example, 'Base URL of the school'),
    name: column('Example School', 'Name of the school'),
  },
  classes: {
    school_base_url: SCHOOL,
    id_class: column('9-1', 'Id of the class, unique in its school'),
    name: column('9-1', 'Name of the class'),
  },
  students: {
    school_base_url: SCHOOL,
    id_student: column('001', 'Id of the student, unique in the school'),
    fullName: column('Ayşe Yılmaz', 'Full name'),
    ShowActive: column('Y', 'One character: usually Y or N', 'Y,N'),
    id_class: column('9-1', 'Class, or empty', 'classes!$B$2:$B$1000'),
  },
  devices: {
    id: column('DEVICE-1', 'Id of the device'),
    school_base_url: SCHOOL,
    id_student: column('001', 'Id of the student'),
    token: column('token-of-the-app', 'Token of the app for push messages'),
    platform: column('android', 'Operating system', 'android,ios'),
    last_seen: column('2026-12-03 09:00', 'Time in UTC, or empty'),
  },
  exams: {
    exam_id: column('E1', 'Id of the exam'),
    name: column('First term', 'Name of the exam'),
  },
  exam_entries: {
    exam_id: column('E1', 'Exam', 'exams!$A$2:$A$1000'),
    subject_name: column('Maths', 'Subject'),
    exam_date: column('2026-12-03', 'Date, such as 2026-12-03 or 3.12.2026'),
    start_time: column('09:00', 'Time of day, such as 09:00'),
    duration_minutes: column('60', 'Minutes'),
  },
  note_types: {
    id: column('1', 'Id of the type'),
    name: column('Written exam', 'Name of the type'),
  },
  notes: {
    school_base_url: SCHOOL,
    id: column('N1', 'Id of the note'),
    note_type: column('1', 'Type, or empty', 'note_types!$A$2:$A$1000'),
    title: column('Maths', 'Title of the push message'),
    text: column('You have 90 points.', 'Text of the push message'),
  },
};

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const LAST_ROW = 1_048_576;

/** Writes a workbook with a sheet for each file of an import, all of whose cells are texts. */
export function importTemplate(language: Language): Buffer {
  const words = new Words(language, 'UTC');
  const sheets = CSV_FILE_COLUMNS.map(({ file, headers }) => ({ sheet: file.replace('.csv', ''), headers }));
  const ids = sheets.map((_, at) => String(at + 1));
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  return zipArchive({
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Default Extension="xml" ContentType="application/xml"/>\
<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>\
<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>\
${ids
  .map((id) => `<Override PartName="/xl/worksheets/sheet${id}.xml" ContentType="${TYPE}.worksheet+xml"/>`)
  .join('')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships">\
${relation('a', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>\
${sheets
  .map(({ sheet }, at) => `<sheet name="${sheet}" sheetId="${String(at + 1)}" r:id="s${String(at + 1)}"/>`)
  .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships">\
${ids.map((id) => relation(`s${id}`, 'worksheet', `worksheets/sheet${id}.xml`)).join('')}\
${relation('t', 'styles', 'styles.xml')}</Relationships>`,
    // Style 1 is text, style 2 is text in bold.
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/>\
<name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="1">\
<fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>\
<cellXfs count="3"><xf numFmtId="0" fontId="0" xfId="0"/>\
<xf numFmtId="49" fontId="0" xfId="0" applyNumberFormat="1"/>\
<xf numFmtId="49" fontId="1" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>`,
    ...Object.fromEntries(
      sheets.map(({ sheet, headers }, at) => [
        `xl/worksheets/sheet${String(at + 1)}.xml`,
        sheetXml(headers, COLUMNS[sheet] ?? {}, words),
      ]),
    ),
  });
}

function sheetXml(
  headers: readonly string[],
  columns: Readonly<Record<string, TemplateColumn>>,
  words: Words,
): string {
  const letters = headers.map((_, at) => String.fromCharCode('A'.charCodeAt(0) + at));
  const row = (line: number, style: number, textFor: (header: string) => string): string =>
    `<row r="${String(line)}">\
${headers
  .map(
    (header, at) =>
      `<c r="${letters[at] ?? ''}${String(line)}" s="${String(style)}" t="inlineStr"><is>\
<t xml:space="preserve">${html`${textFor(header)}`.text}</t></is></c>`,
  )
  .join('')}</row>`;
  const validations = headers.map((header, at) => {
    const { help, list } = columns[header] ?? {};
    const area = `${letters[at] ?? ''}2:${letters[at] ?? ''}${String(LAST_ROW)}`;
    const formula =
      list === undefined ? '' : `<formula1>${list.includes('!') ? list : `"${list}"`}</formula1>`;
    const kind = list === undefined ? '' : ' type="list" errorStyle="warning" showErrorMessage="1"';
    return `<dataValidation${kind} allowBlank="1" showInputMessage="1" promptTitle="${header}" prompt="${
      html`${help === undefined ? '' : words.t(help)}`.text
    }" sqref="${area}">${formula}</dataValidation>`;
  });
  return `<worksheet xmlns="${MAIN}">\
<sheetViews><sheetView workbookViewId="0">\
<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>\
</sheetView></sheetViews>\
<cols><col min="1" max="${String(headers.length)}" width="24" style="1" customWidth="1"/></cols>\
<sheetData>${row(1, 2, (header) => header)}\
${row(2, 1, (header) => columns[header]?.example ?? '')}</sheetData>\
<dataValidations count="${String(validations.length)}">${validations.join('')}</dataValidations>\
</worksheet>`;
}
