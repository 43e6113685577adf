// An official TypeScript client over stdio, driven by one JSON object on stdin; what it saw goes to stdout as one.
//
// {modules, package, mode, command, args, env, cwd, calls: [[tool, arguments]], prompts: {name: arguments},
//  completions: [{ref, argument, context}], edited: {uri, path, content}}
// In arguments and URIs `$memory`, `$memo`, `$run` and `$answer` stand for the ids that earlier calls gave.
'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { createRequire } = require('node:module')

const asked = JSON.parse(fs.readFileSync(0, 'utf8'))
const load = createRequire(path.join(asked.modules, 'here.js'))
const ids = {}

function filled(value) {
  if (typeof value === 'string') {
    if (Object.hasOwn(ids, value)) return ids[value]
    return value.replace(/\$(memory|memo|run|answer)\b/g, (name) => String(ids[name] ?? name))
  }
  if (Array.isArray(value)) return value.map(filled)
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item)]))
  }
  return value
}

function remember(tool, result) {
  if (tool === 'memory_save') ids.$memory = result.id
  if (tool === 'memory_exploration_record') ids.$memo = result.id
  if (tool === 'memory_recall_iterative') ids.$run = result.provenance.run_id
  if (tool === 'memory_answer') ids.$answer = result.answer_id
}

async function connected() {
  const info = { name: 'typescript-client', version: '1' }
  const options = { command: asked.command, args: asked.args, env: asked.env, cwd: asked.cwd, stderr: 'inherit' }
  if (asked.package === 'sdk') {
    const { Client } = load('@modelcontextprotocol/sdk/client/index.js')
    const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js')
    const { ResourceUpdatedNotificationSchema } = load('@modelcontextprotocol/sdk/types.js')
    const client = new Client(info)
    await client.connect(new StdioClientTransport(options))
    return { client, updated: ResourceUpdatedNotificationSchema }
  }
  const { Client } = load('@modelcontextprotocol/client')
  const { StdioClientTransport } = load('@modelcontextprotocol/client/stdio')
  const client = new Client(info, { versionNegotiation: { mode: asked.mode } })
  await client.connect(new StdioClientTransport(options))
  return { client, updated: 'notifications/resources/updated' }
}

async function every(list, key) {
  const found = []
  let cursor
  do {
    const page = await list(cursor === undefined ? {} : { cursor })
    found.push(...page[key])
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return found
}

async function told(client, updated, uri) {
  let tell
  const news = new Promise((resolve) => { tell = resolve })
  client.setNotificationHandler(updated, (notification) => {
    if (notification.params.uri === uri) tell(notification.params.uri)
  })
  const modern = typeof client.getProtocolEra === 'function' && client.getProtocolEra() === 'modern'
  const stream = modern
    ? await client.listen({ resourceSubscriptions: [uri] })
    : (await client.subscribeResource({ uri }), undefined)
  fs.writeFileSync(asked.edited.path, asked.edited.content)
  const heard = await news
  if (stream) await stream.close()
  else await client.unsubscribeResource({ uri })
  return heard
}

async function main() {
  const { client, updated } = await connected()
  const seen = { calls: {}, read: {}, prompts: {}, completions: [] }
  seen.server = client.getServerVersion()
  seen.instructions = client.getInstructions()
  seen.capabilities = client.getServerCapabilities()
  seen.era = typeof client.getProtocolEra === 'function' ? client.getProtocolEra() : 'legacy'
  seen.tools = (await every((page) => client.listTools(page), 'tools')).map((tool) => tool.name)
  for (const [tool, given] of asked.calls) {
    const result = await client.callTool({ name: tool, arguments: filled(given) })
    if (!result.isError) remember(tool, result.structuredContent)
    seen.calls[tool] = { error: result.isError ? result.content[0].text : null, keys: Object.keys(result.structuredContent ?? {}) }
  }
  const resources = await every((page) => client.listResources(page), 'resources')
  const templates = await every((page) => client.listResourceTemplates(page), 'resourceTemplates')
  seen.resources = resources.map(({ uri, title, size }) => ({ uri, title, size }))
  seen.templates = templates.map((template) => template.uriTemplate)
  for (const uri of [...resources.map((resource) => resource.uri), ...asked.uris.map(filled)]) {
    const { contents } = await client.readResource({ uri })
    seen.read[uri] = contents.map((content) => content.text).join('')
  }
  seen.listed_prompts = (await every((page) => client.listPrompts(page), 'prompts')).map((prompt) => prompt.name)
  for (const [name, given] of Object.entries(asked.prompts)) {
    const { messages } = await client.getPrompt({ name, arguments: given })
    seen.prompts[name] = messages.map(({ content }) => content.text ?? content.resource.text)
  }
  for (const request of asked.completions) seen.completions.push((await client.complete(request)).completion.values)
  seen.told = await told(client, updated, filled(asked.edited.uri))
  await client.close()
  process.stdout.write(JSON.stringify(seen))
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
