/**
 * Name of the file with the errors of the last import of IMPORT_FOLDER, in the data folder. No import reads a
 * file of this name.
 */
export const ERRORS_FILE = 'import-errors.csv';
