export { Entrance, type Visitor } from './entrance';
export { entranceFindings } from './findings';
export { readWrittenUsers, type Role, ROLES, USER_NAME, writtenUsers, type WrittenUsers } from './users-file';
