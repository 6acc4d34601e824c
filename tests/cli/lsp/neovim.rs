//! Neovim as a client, without a screen. The test is skipped if it is not installed.

use std::{fs, process::Command};

use super::{Demo, position_of};

/// Opens a catalog, waits for diagnostics, sends requests, and prints a line for each response.
const SCRIPT: &str = r#"
local function say(key, value) io.stdout:write(key .. " " .. vim.json.encode(value) .. "\n") end
local function wait(what, is_so)
    if not vim.wait(60000, is_so, 20) then say("GAVE UP", what) vim.cmd("cquit 3") end
end
local path, root, program, rename_to = arg_path, arg_root, arg_program, arg_name
vim.cmd("edit " .. vim.fn.fnameescape(path))
local buffer = vim.api.nvim_get_current_buf()
local id = vim.lsp.start_client({ name = "olmap", cmd = { program, "lsp" }, root_dir = root })
vim.lsp.buf_attach_client(buffer, id)
local client
wait("the server", function() client = vim.lsp.get_client_by_id(id) return client and client.initialized end)
wait("diagnostics", function() return #vim.diagnostic.get(buffer) > 0 end)
local shown = {}
for _, d in ipairs(vim.diagnostic.get(buffer)) do
    table.insert(shown, { d.lnum, d.col, d.severity, d.code or d.user_data.lsp.code })
end
say("diagnostics", shown)
local function ask(method, params)
    local answer, problem = client.request_sync("textDocument/" .. method, params, 60000, buffer)
    if not answer then say("GAVE UP", { method, problem }) vim.cmd("cquit 3") end
    return answer.result
end
vim.api.nvim_win_set_cursor(0, { arg_line + 1, arg_column })
local here = function() return vim.lsp.util.make_position_params(0, client.offset_encoding) end
say("hover", ask("hover", here()).contents)
local definition = ask("definition", here())
say("definition", { definition[1].range.start.line, definition[1].range.start.character })
say("references", #ask("references", vim.tbl_extend("force", here(), { context = { includeDeclaration = true } })))
local range = vim.lsp.util.make_range_params(0, client.offset_encoding)
range.context = { diagnostics = {} }
local actions = ask("codeAction", range)
say("action", actions[1].title)
vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
wait("the fix", function()
    for _, d in ipairs(vim.diagnostic.get(buffer)) do
        if (d.code or d.user_data.lsp.code) == "dead-end" then return false end
    end
    return true
end)
say("fixed", true)
local renamed = ask("rename", vim.tbl_extend("force", here(), { newName = rename_to }))
vim.lsp.util.apply_workspace_edit(renamed, client.offset_encoding)
local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
local _, old = text:gsub("granary%-operator%.v2%.6%.4", "")
local _, new = text:gsub(vim.pesc(rename_to), "")
say("renamed", { old, new })
vim.lsp.stop_client(id)
wait("the end", function() return vim.lsp.get_client_by_id(id) == nil end)
vim.cmd("qall!")
"#;

#[test]
fn neovim_opens_a_catalog() {
    if Command::new("nvim").arg("--version").output().is_err() {
        eprintln!("skipped: neovim is not installed (apt-get install neovim)");
        return;
    }
    let demo = Demo::new();
    let (path, text) = demo.granary_file();
    let (line, column) = position_of(&text, "- name: granary-operator.v2.6.4", 12);
    let script = demo.folder.path().join("script.lua");
    let quoted = |text: &str| format!("{text:?}");
    let head = format!(
        "local arg_path, arg_root, arg_program, arg_name, arg_line, arg_column = {}, {}, {}, {}, {line}, {column}\n",
        quoted(path.to_str().unwrap()),
        quoted(demo.root().to_str().unwrap()),
        quoted(env!("CARGO_BIN_EXE_olmap")),
        quoted("granary-operator.v2.6.5"),
    );
    fs::write(&script, head + SCRIPT).unwrap();
    let home = demo.folder.path().join("home");
    fs::create_dir(&home).unwrap();
    let run = Command::new("nvim")
        .args(["--headless", "--clean", "-n", "-l"])
        .arg(&script)
        .args(["-c", "qall!"])
        .env("HOME", &home)
        .output()
        .unwrap();
    let run = if String::from_utf8_lossy(&run.stdout).contains("hover") {
        run
    } else {
        // Versions before 0.9 do not have `-l`.
        Command::new("nvim")
            .args(["--headless", "--clean", "-n", "-c"])
            .arg(format!("luafile {}", script.display()))
            .args(["-c", "qall!"])
            .env("HOME", &home)
            .output()
            .unwrap()
    };
    let out = String::from_utf8_lossy(&run.stdout).into_owned();
    let said = |key: &str| {
        let line = out.lines().find_map(|line| line.strip_prefix(&format!("{key} ")));
        line.unwrap_or_else(|| panic!("no {key} in\n{out}\n{}", String::from_utf8_lossy(&run.stderr)))
            .to_owned()
    };
    assert!(said("diagnostics").contains("stuck"), "{out}");
    assert!(said("hover").contains("Classic, channel stable: stays on granary-operator.v2.6.4"), "{out}");
    let definition = position_of(&text, "name: granary-operator.v2.6.4\npackage", 6);
    assert_eq!(said("definition"), format!("[{},{}]", definition.0, definition.1), "{out}");
    let all = text.matches("granary-operator.v2.6.4").count();
    assert!(said("action").contains("Fix stuck: granary-operator.v3.1.0 in stable"), "{out}");
    assert_eq!(said("fixed"), "true");
    assert!(said("references").parse::<usize>().unwrap() <= all, "{out}");
    let renamed: Vec<usize> = serde_json::from_str(&said("renamed")).unwrap();
    assert_eq!(renamed[0], 0, "the old name is nowhere: {out}");
    assert!(renamed[1] > 3 && run.status.success(), "{out}");
}
