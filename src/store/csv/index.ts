export { csvLine } from './csv-line';
export { FolderError } from './csv-files';
export { type ExportedFile, exportFolder, type ExportReport } from './export-folder';
export { importFolder, type ImportOptions } from './import-folder';
export type { FileReport, ImportProgress, ImportReport, Problem } from './import-report';
