#!/bin/sh
# /usr/local/bin/school-notifications: a command of the service, with its settings and as its user, so that nothing in
# its data comes to belong to root.
set -eu
export SETTINGS_FILE=/etc/school-notifications/settings.env
program=/opt/school-notifications/node_modules/.bin/school-notifications
[ "$(id -u)" -ne 0 ] || exec runuser -u school-notifications -- "$program" "$@"
exec "$program" "$@"
