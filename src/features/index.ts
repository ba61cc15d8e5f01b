import * as alarms from './alarms';
import * as audit from './audit';
import * as backups from './backups';
import * as charts from './charts';
import * as documents from './documents';
import * as folder from './folder';
import * as hours from './hours';
import * as migration from './migration';
import * as move from './move';
import * as people from './people';
import * as pumping from './pumping';
import * as receipts from './receipts';
import * as traces from './traces';
import * as turkish from './turkish';
import * as uploads from './uploads';
import * as usage from './usage';
import * as workbooks from './workbooks';

/**
 * The features of this service, a line each. Without its line and its folder, the service runs without a
 * feature.
 */
export const FEATURES = {
  alarms,
  audit,
  backups,
  charts,
  documents,
  folder,
  hours,
  migration,
  move,
  people,
  pumping,
  receipts,
  traces,
  turkish,
  uploads,
  usage,
  workbooks,
};
