-- Ordain in Neovim 0.11 or later: put this file into ~/.config/nvim/lsp/ and
-- call `vim.lsp.enable('ordain')` in init.lua.
return {
  cmd = { 'ordain', 'lsp' },
  filetypes = { 'yaml', 'json' },
  root_markers = { '.ordain.yaml', '.git' },
}
