-- Drives a real Neovim: what it saw goes as JSON into the file that AFRESH_SEEN names.
local afresh, root, seen_file = vim.env.AFRESH_COMMAND, vim.env.AFRESH_ROOT, vim.env.AFRESH_SEEN
local seen = { messages = {} }

local function wait_for(what, condition)
  if not vim.wait(30000, condition, 20) then
    error('waited in vain for ' .. what)
  end
end

vim.lsp.handlers['window/showMessage'] = function(_, result)
  table.insert(seen.messages, result.message)
end

local client

local function edit(path)
  vim.cmd('edit ' .. vim.fn.fnameescape(root .. '/' .. path))
  local buffer = vim.api.nvim_get_current_buf()
  vim.lsp.buf_attach_client(buffer, client)
  return buffer
end

local function diagnostics(buffer)
  return vim.tbl_map(function(one)
    return {
      line = one.lnum, column = one.col, end_line = one.end_lnum, end_column = one.end_col,
      message = one.message, severity = one.severity, source = one.source,
    }
  end, vim.diagnostic.get(buffer))
end

local function lenses(buffer)
  vim.lsp.codelens.refresh()
  wait_for('lenses', function() return #vim.lsp.codelens.get(buffer) > 0 end)
  return vim.tbl_map(function(one)
    return { line = one.range.start.line, title = one.command.title }
  end, vim.lsp.codelens.get(buffer))
end

local function ask(buffer, method, params)
  local answers = assert(vim.lsp.buf_request_sync(buffer, method, params, 30000))
  local answer = assert(answers[client], method .. ' was not answered')
  assert(not answer.err, vim.inspect(answer.err))
  return answer.result
end

local function hover(buffer, line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
  local window = vim.api.nvim_get_current_win()
  local encoding = vim.lsp.get_client_by_id(client).offset_encoding
  return ask(buffer, 'textDocument/hover', vim.lsp.util.make_position_params(window, encoding))
end

local function session()
  client = assert(vim.lsp.start_client({ name = 'afresh', cmd = { afresh, 'lsp' }, root_dir = root }))

  local buffer = edit('billing/locks.py')
  wait_for('the stale conclusion', function() return #vim.diagnostic.get(buffer) == 1 end)
  seen.at_first = diagnostics(buffer)
  seen.lenses_at_first = lenses(buffer)

  vim.api.nvim_buf_set_lines(buffer, 0, 0, false, { '# é😀', '' })
  wait_for('the moved diagnostic', function()
    local found = vim.diagnostic.get(buffer)
    return #found == 1 and found[1].lnum == 4
  end)
  seen.moved = diagnostics(buffer)
  wait_for('the moved lens', function()
    vim.lsp.codelens.refresh()
    local found = vim.lsp.codelens.get(buffer)
    return #found == 2 and found[2].range.start.line == 3
  end)
  seen.lenses_moved = lenses(buffer)
  seen.hover_moved = hover(buffer, 4, 10)

  local other = edit('main.py')
  seen.hover_behind_wide = hover(other, 1, (string.find(vim.api.nvim_get_current_line(), 'acquire', 1, true)))
  seen.main_column = string.find(vim.api.nvim_get_current_line(), 'acquire', 1, true) - 1

  local rules = edit('CLAUDE.md')
  wait_for('the dead path', function() return #vim.diagnostic.get(rules) == 1 end)
  seen.dead = diagnostics(rules)
  seen.dead_text = vim.api.nvim_buf_get_lines(rules, 2, 3, false)[1]
  vim.api.nvim_win_set_cursor(0, { 3, (string.find(seen.dead_text, 'Lock.acquire', 1, true)) })
  seen.definition = ask(rules, 'textDocument/definition', vim.lsp.util.make_position_params(0, 'utf-16'))

  vim.api.nvim_set_current_buf(buffer)
  vim.cmd('write')
  vim.api.nvim_win_set_cursor(0, { 5, 10 })
  local offered
  vim.ui.select = function(items, _, choose)
    offered = items
    for _, item in ipairs(items) do
      local action = item.action or item[2]
      if vim.startswith(action.title, 'Verify') then
        return choose(item)
      end
    end
    choose(nil)
  end
  vim.lsp.buf.code_action()
  wait_for('the actions', function() return offered ~= nil end)
  seen.actions = vim.tbl_map(function(item) return (item.action or item[2]).title end, offered)
  wait_for('the diagnostic to go', function() return #vim.diagnostic.get(buffer) == 0 end)
  seen.after_verify = diagnostics(buffer)
  wait_for('a fresh lens', function()
    vim.lsp.codelens.refresh()
    local found = vim.lsp.codelens.get(buffer)
    return #found == 2 and not string.find(found[2].command.title, 'stale', 1, true)
  end)
  seen.lenses_after_verify = lenses(buffer)
end

local ok, failure = pcall(session)
if not ok then
  seen.failure = tostring(failure)
end
vim.fn.writefile({ vim.json.encode(seen) }, seen_file)
vim.lsp.stop_client(vim.lsp.get_active_clients())
vim.wait(5000, function() return #vim.lsp.get_active_clients() == 0 end, 20)
vim.cmd('qall!')
