export { backUp, type BackupOptions, type BackupReport, isSameFile } from './backup';
export { KeepingError } from './keeping-error';
export { Backups, type LastBackup, lastBackup, refuseMoved } from './marks';
export { type Alone, move, type MovedTable, type OnRows, undoMove } from './move';
export { removeLeftBehind } from './partial-file';
export { restore, type RestoreOptions, type RestoreReport } from './restore';
