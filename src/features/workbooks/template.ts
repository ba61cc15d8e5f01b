import type { Language } from '../../admin/texts/words';
import { CSV_FILE_COLUMNS } from '../../store';
import { html } from '../../support/html';
import { zipArchive } from '../../support/zip';

/** A column of a sheet: an example, what belongs there, and the values to choose from. */
interface TemplateColumn {
  readonly example: string;
  readonly help: Readonly<Record<Language, string>>;
  /** Values separated by commas, or an area of a sheet. */
  readonly list?: string;
}

const SCHOOL: TemplateColumn = {
  example: 'https://school.example',
  help: {
    en: 'Base URL of the school, as in the sheet schools',
    tr: 'Okulun temel adresi, schools sayfasındaki gibi',
  },
  list: 'schools!$A$2:$A$1000',
};

const name = (example: string, en: string, tr: string, list?: string): TemplateColumn => ({
  ...{ example, help: { en, tr } },
  ...(list !== undefined && { list }),
});

/** Columns by sheet and heading. */
const COLUMNS: Readonly<Record<string, Readonly<Record<string, TemplateColumn>>>> = {
  schools: {
    base_url: name(SCHOOL.example, 'Base URL of the school', 'Okulun temel adresi'),
    name: name('Example School', 'Name of the school', 'Okulun adı'),
  },
  classes: {
    school_base_url: SCHOOL,
    id_class: name('9-1', 'Id of the class, unique in its school', 'Sınıfın kimliği, okulda tek'),
    name: name('9-1', 'Name of the class', 'Sınıfın adı'),
  },
  students: {
    school_base_url: SCHOOL,
    id_student: name('001', 'Id of the student, unique in the school', 'Öğrencinin kimliği, okulda tek'),
    fullName: name('Ayşe Yılmaz', 'Full name', 'Adı ve soyadı'),
    ShowActive: name('Y', 'One character: usually Y or N', 'Tek karakter: genellikle Y ya da N', 'Y,N'),
    id_class: name('9-1', 'Class, or empty', 'Sınıf ya da boş', 'classes!$B$2:$B$1000'),
  },
  devices: {
    id: name('DEVICE-1', 'Id of the device', 'Cihazın kimliği'),
    school_base_url: SCHOOL,
    id_student: name('001', 'Id of the student', 'Öğrencinin kimliği'),
    token: name(
      'token-of-the-app',
      'Token of the app for push messages',
      'Uygulamanın anlık bildirim belirteci',
    ),
    platform: name('android', 'Operating system', 'İşletim sistemi', 'android,ios'),
    last_seen: name('2026-12-03 09:00', 'Time in UTC, or empty', 'UTC zamanı ya da boş'),
  },
  exams: {
    exam_id: name('E1', 'Id of the exam', 'Sınavın kimliği'),
    name: name('First term', 'Name of the exam', 'Sınavın adı'),
  },
  exam_entries: {
    exam_id: name('E1', 'Exam', 'Sınav', 'exams!$A$2:$A$1000'),
    subject_name: name('Maths', 'Subject', 'Ders'),
    exam_date: name(
      '2026-12-03',
      'Date, such as 2026-12-03 or 3.12.2026',
      'Tarih, 2026-12-03 ya da 3.12.2026 gibi',
    ),
    start_time: name('09:00', 'Time of day, such as 09:00', 'Saat, 09:00 gibi'),
    duration_minutes: name('60', 'Minutes', 'Dakika'),
  },
  note_types: {
    id: name('1', 'Id of the type', 'Türün kimliği'),
    name: name('Written exam', 'Name of the type', 'Türün adı'),
  },
  notes: {
    school_base_url: SCHOOL,
    id: name('N1', 'Id of the note', 'Bildirimin kimliği'),
    note_type: name('1', 'Type, or empty', 'Tür ya da boş', 'note_types!$A$2:$A$1000'),
    title: name('Maths', 'Title of the push message', 'Anlık bildirimin başlığı'),
    text: name('You have 90 points.', 'Text of the push message', 'Anlık bildirimin metni'),
  },
};

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const LAST_ROW = 1_048_576;

/** Writes a workbook with a sheet for each file of an import, all of whose cells are texts. */
export function importTemplate(language: Language): Buffer {
  const sheets = CSV_FILE_COLUMNS.map(({ file, headers }) => ({ sheet: file.replace('.csv', ''), headers }));
  const ids = sheets.map((_, at) => String(at + 1));
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  return zipArchive({
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>${ids.map((id) => `<Override PartName="/xl/worksheets/sheet${id}.xml" ContentType="${TYPE}.worksheet+xml"/>`).join('')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships">${relation('a', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets.map(({ sheet }, at) => `<sheet name="${sheet}" sheetId="${String(at + 1)}" r:id="s${String(at + 1)}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships">${ids.map((id) => relation(`s${id}`, 'worksheet', `worksheets/sheet${id}.xml`)).join('')}${relation('t', 'styles', 'styles.xml')}</Relationships>`,
    // Style 1 is text, style 2 is text in bold.
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" xfId="0"/><xf numFmtId="49" fontId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>`,
    ...Object.fromEntries(
      sheets.map(({ sheet, headers }, at) => [
        `xl/worksheets/sheet${String(at + 1)}.xml`,
        sheetXml(headers, COLUMNS[sheet] ?? {}, language),
      ]),
    ),
  });
}

function sheetXml(
  headers: readonly string[],
  columns: Readonly<Record<string, TemplateColumn>>,
  language: Language,
): string {
  const letters = headers.map((_, at) => String.fromCharCode('A'.charCodeAt(0) + at));
  const row = (line: number, style: number, textFor: (header: string) => string): string =>
    `<row r="${String(line)}">${headers.map((header, at) => `<c r="${letters[at] ?? ''}${String(line)}" s="${String(style)}" t="inlineStr"><is><t xml:space="preserve">${html`${textFor(header)}`.text}</t></is></c>`).join('')}</row>`;
  const validations = headers.map((header, at) => {
    const { help, list } = columns[header] ?? {};
    const area = `${letters[at] ?? ''}2:${letters[at] ?? ''}${String(LAST_ROW)}`;
    const formula =
      list === undefined ? '' : `<formula1>${list.includes('!') ? list : `"${list}"`}</formula1>`;
    const kind = list === undefined ? '' : ' type="list" errorStyle="warning" showErrorMessage="1"';
    return `<dataValidation${kind} allowBlank="1" showInputMessage="1" promptTitle="${header}" prompt="${html`${help?.[language] ?? ''}`.text}" sqref="${area}">${formula}</dataValidation>`;
  });
  return `<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols><col min="1" max="${String(headers.length)}" width="24" style="1" customWidth="1"/></cols><sheetData>${row(1, 2, (header) => header)}${row(2, 1, (header) => columns[header]?.example ?? '')}</sheetData><dataValidations count="${String(validations.length)}">${validations.join('')}</dataValidations></worksheet>`;
}
