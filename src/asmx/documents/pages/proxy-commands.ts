import { shellWord } from './shell-word';

/** One tool that makes a proxy class from a service description. */
export interface ProxyCommand {
  readonly platform: string;
  readonly command: string;
}

/** How a proxy for an endpoint is made, in one line for each platform. */
export function proxyCommands(service: string, url: string): readonly ProxyCommand[] {
  const description = shellWord(`${url}?wsdl`);
  return [
    { platform: '.NET', command: `dotnet-svcutil ${description} --namespace ${shellWord(`*,${service}`)}` },
    { platform: '.NET Framework', command: `wsdl /language:CS /namespace:${service} ${description}` },
    { platform: 'Java', command: `wsimport -keep -p ${service.toLowerCase()} ${description}` },
  ];
}
